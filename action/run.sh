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
trap 'rm -f "$log" "$log.pipe"' EXIT
# Lines of a program must not become commands of the workflow. `::stop-commands::` with a random
# text disables them, until a line has this text.
delimiter=end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
status=0
echo "::stop-commands::$delimiter"
mkfifo "$log.pipe"
tee "$log" < "$log.pipe" &
reader=$!
antichain "$command" "${arguments[@]}" > "$log.pipe" 2>&1 &
process=$!
# A cancelled job gets SIGINT and then SIGTERM. Bash would run the traps after a command in the
# foreground only, so the command runs in the background.
trap 'kill -TERM "$process" 2> /dev/null || true' INT TERM
while kill -0 "$process" 2> /dev/null; do
  status=0
  wait "$process" || status=$?
done
trap - INT TERM
wait "$reader"
echo "::$delimiter::"

# The summary shows the last 200 lines, in a fence that is longer than any fence of the log.
fence='````'
while grep -qF -- "$fence" "$log"; do fence+='`'; done
{
  echo "### antichain $command${INPUT_STACK:+ of \`${INPUT_STACK//\`/}\`}"
  echo
  echo "${fence}text"
  tail -n 200 "$log"
  echo "$fence"
} >> "${GITHUB_STEP_SUMMARY:-/dev/null}"

if [ "$status" -eq 0 ] && [ "$command" = up ]; then
  outputs=$(antichain stack output --json --non-interactive --cwd "${INPUT_WORK_DIR:-.}" --stack "$INPUT_STACK")
  printf 'outputs<<%s\n%s\n%s\n' "$delimiter" "$outputs" "$delimiter" >> "${GITHUB_OUTPUT:-/dev/null}"
fi
exit "$status"
