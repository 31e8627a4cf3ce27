#!/usr/bin/env bash
# Runs one command of antichain in a workflow. Inputs come from variables, so that no input becomes
# a part of a script.
set -eu -o pipefail
command=${INPUT_COMMAND:-}
arguments=(--non-interactive --cwd "${INPUT_WORK_DIR:-.}")
case $command in
  up | refresh | destroy) arguments+=(--yes --skip-preview) ;;
  preview | doctor) ;;
  *)
    echo "::error::the input 'command' must be preview, up, refresh, destroy or doctor, not '${command//[^a-z-]/?}'"
    exit 1
    ;;
esac
if [ "$command" != doctor ]; then
  if [ -z "${INPUT_STACK:-}" ]; then
    echo "::error::the input 'stack' is missing: name the stack of the command $command"
    exit 1
  fi
  arguments+=(--stack "$INPUT_STACK")
fi
while IFS= read -r argument; do
  if [ -n "$argument" ]; then arguments+=("$argument"); fi
done <<< "${INPUT_ARGS:-}"

# Without a token, the job exchanges its OIDC token. A backend needs neither.
case ${INPUT_LOGIN:-} in
  '') ;;
  http://* | https://*)
    if [ -n "${ANTICHAIN_TOKEN:-}" ]; then antichain login "$INPUT_LOGIN"; else antichain login "$INPUT_LOGIN" --oidc; fi
    ;;
  -*)
    echo "::error::the input 'login' must be the address of an API or a backend"
    exit 1
    ;;
  *) antichain login "$INPUT_LOGIN" ;;
esac

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Lines of a program must not become commands of the workflow.
delimiter=end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
status=0
echo "::stop-commands::$delimiter"
antichain "$command" "${arguments[@]}" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
echo "::$delimiter::"

# The summary shows the last 200 lines, in a fence that is longer than any fence of the log.
{
  echo "### antichain $command${INPUT_STACK:+ of \`${INPUT_STACK//\`/}\`}"
  echo
  echo '````````text'
  tail -n 200 "$log"
  echo '````````'
} >> "${GITHUB_STEP_SUMMARY:-/dev/null}"

if [ "$status" -eq 0 ] && [ "$command" = up ]; then
  outputs=$(antichain stack output --json --non-interactive --cwd "${INPUT_WORK_DIR:-.}" --stack "$INPUT_STACK")
  printf 'outputs<<%s\n%s\n%s\n' "$delimiter" "$outputs" "$delimiter" >> "${GITHUB_OUTPUT:-/dev/null}"
fi
exit "$status"
