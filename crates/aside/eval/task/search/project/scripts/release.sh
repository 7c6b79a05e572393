#!/bin/sh
# Tags a version and uploads the image.
set -eu

tag_version() {
    git tag "v$1"
}

tag_version "$1"
docker push registry.example.invalid/harbor:"$1"
