"""Pictures of boats."""

MAX_UPLOAD_BYTES = 5 * 1024 * 1024
ALLOWED = {"image/png", "image/jpeg"}


def save_upload(request):
    if len(request.body) > MAX_UPLOAD_BYTES:
        return 413, {"error": "the picture is too large"}
    if request.content_type not in ALLOWED:
        return 415, {"error": "only PNG and JPEG"}
    return 201, {"path": store(request.body)}
