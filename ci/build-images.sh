#!/usr/bin/env bash
# Builds the images that changed, tags them with the commit, pushes them, and writes the tag into the overlay of staging.
#   IMAGES=images.example ci/build-images.sh [--dry-run]
# An image is built if one of its files changed since the commit that staging runs, or since BASE if BASE is set. --dry-run
# only prints the actions. PLATFORMS names the architectures (default linux/amd64,linux/arm64).
set -euo pipefail
cd "$(dirname "$0")/.."

images=${IMAGES:-images.example}
platforms=${PLATFORMS:-linux/amd64,linux/arm64}
overlay=deploy/kubernetes/overlays/staging/kustomization.yaml
tag=$(git rev-parse --short=12 HEAD)
run() { echo "+ $*" >&2; [[ $dry ]] || "$@"; }
dry=
[[ ${1:-} == --dry-run ]] && dry=yes

# The files of the browser image. The slim image has the same files without the browser.
parts=(Dockerfile .dockerignore package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json bin src dashboard docs guide ci/build.ts ci/guide ci/image)

# Prints the commit from which an image of staging was built. Prints nothing if its tag is not one of our commits; such an image
# counts as never built.
staged() {
  local name=$1 now
  now=$(sed -n "\\#newName: .*/$name\$#{n;s#.*newTag: \"*\([^\"]*\)\"*\$#\1#p}" "$overlay")
  [[ $now =~ ^[0-9a-f]{12}$ ]] && git rev-parse --verify --quiet "$now^{commit}" || true
}

changed() {
  local base=$1
  shift
  [[ -z $base ]] || ! git diff --quiet "$base" HEAD -- "$@"
}

build() {
  local target=$1 name=$2
  run docker buildx build --platform "$platforms" --target "$target" \
    --provenance=mode=max --sbom=true \
    --tag "$images/$name:$tag" --push .
}

# Replaces the two lines with sed, because not every machine has kustomize. The tag is quoted: some commit hashes look like a number in
# YAML, and a number is not a valid tag.
stage() {
  local name=$1
  run sed -i "\\#newName: .*/$name\$#{n;s#newTag: .*#newTag: \"$tag\"#}" "$overlay"
}

built=
build_changed() {
  local target=$1 name=$2 base
  shift 2
  base=${BASE:-$(staged "$name")}
  if ! changed "$base" "$@"; then
    echo "nothing that is in $name changed since $base" >&2
    return
  fi
  build "$target" "$name"
  stage "$name"
  built=yes
}

build_changed slim kscrape "${parts[@]}" ':!ci/image/browser-programs'
build_changed browser kscrape-browser "${parts[@]}"
[[ -z $built ]] || echo "$tag"
