import { slugify } from './slugify'

test('blanks become hyphens', () => {
  expect(slugify('My orders')).toBe('my-orders')
})
