#!/usr/bin/env bash
# Builds the images that changed since BASE, tags them with the commit, pushes them, and writes the tag into the overlay of staging.
#   IMAGES=images.example BASE=origin/main~1 ci/build-images.sh [--dry-run]
# --dry-run says what would be done. PLATFORMS names the architectures (default linux/amd64,linux/arm64).
set -euo pipefail
cd "$(dirname "$0")/.."

images=${IMAGES:-images.example}
base=${BASE:-HEAD~1}
platforms=${PLATFORMS:-linux/amd64,linux/arm64}
overlay=deploy/kubernetes/overlays/staging/kustomization.yaml
tag=$(git rev-parse --short=12 HEAD)
run() { echo "+ $*" >&2; [[ $dry ]] || "$@"; }
dry=
[[ ${1:-} == --dry-run ]] && dry=yes

# What goes into both images, and what only into the one with a browser.
changed() { ! git diff --quiet "$base" HEAD -- "$@"; }
both=(Dockerfile .dockerignore package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json bin src dashboard ci/build.ts ci/image ':!ci/image/browser-programs')
browser=(ci/image/browser-programs)

build() {
  local target=$1 name=$2
  run docker buildx build --platform "$platforms" --target "$target" \
    --provenance=mode=max --sbom=true \
    --tag "$images/$name:$tag" --push .
}

# kustomize's own editor is not on every machine; the two lines are ours.
stage() {
  local name=$1
  run sed -i "\\#newName: .*/$name\$#{n;s#newTag: .*#newTag: $tag#}" "$overlay"
}

wanted=()
if changed "${both[@]}"; then
  wanted=(slim:kscrape browser:kscrape-browser)
elif changed "${browser[@]}"; then
  wanted=(browser:kscrape-browser)
else
  echo "nothing that is in an image changed since $base" >&2
  exit 0
fi
for each in "${wanted[@]}"; do
  build "${each%%:*}" "${each##*:}"
  stage "${each##*:}"
done
echo "$tag"
