#!/usr/bin/env bash
# Installs the package that the workflow names. The version check shows that it starts.
set -eu -o pipefail
if [ -z "${INPUT_PACKAGE:-}" ]; then
  echo "::error::the input 'package' is missing: name the packed file or the package of antichain"
  exit 1
fi
# npm would read an argument that begins with a dash as an option.
case $INPUT_PACKAGE in
  -*)
    echo "::error::the input 'package' must not begin with a dash"
    exit 1
    ;;
esac
npm install --global --ignore-scripts --no-audit --no-fund "$INPUT_PACKAGE"
version=$(antichain --version)
echo "antichain $version"
