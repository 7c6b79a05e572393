function debounce(func, wait) {
  // Creates a debounced function with a timeout.
  var timeout, cache
}
