import type { CloudReporter } from './cloud.ts'

/**
 * Creates a reporter that prints each function call as one line, and with `isVerbose` the output of
 * environments.
 */
export function createCallReporter(
  report: (line: string) => void,
  isVerbose: boolean,
): CloudReporter {
  return {
    onCall: (name, { outcome, pid, ms, isCold }) => {
      const came = outcome.kind === 'answered' ? shorten(outcome.json) : outcome.why
      const start = isCold ? ', cold' : ''
      // A streamed response has no other result.
      const suffix = came === 'null' ? '' : `: ${came}`
      report(`${name} [${pid}${start}] ${(ms / 1000).toFixed(1)} s, ${outcome.kind}${suffix}`)
    },
    onLine: (name, pid, line) => {
      if (isVerbose) report(`${name} [${pid}]   ${line}`)
    },
    onReply: (what, status) => report(`${what} ${status}`),
    onFailure: why => report(`failed: ${why}`),
  }
}

const shownChars = 120

function shorten(text: string): string {
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text
}
