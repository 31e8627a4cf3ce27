import type { CloudReporter } from './cloud.ts'

/**
 * Creates a reporter that prints each function call, API response, denial and failure as one line.
 * With `isVerbose` it also prints the output lines of the function processes.
 */
export function createCallReporter(
  report: (line: string) => void,
  isVerbose: boolean,
): CloudReporter {
  return {
    onCall: (name, { outcome, pid, durationMs, isCold }) => {
      const resultText = outcome.kind === 'answered' ? shorten(outcome.json) : outcome.reason
      const coldSuffix = isCold ? ', cold' : ''
      // The result of a call with a streamed response is always null.
      const suffix = resultText === 'null' ? '' : `: ${resultText}`
      report(
        `${name} [${pid}${coldSuffix}] ${(durationMs / 1000).toFixed(1)} s, ${outcome.kind}${suffix}`,
      )
    },
    onLine: (name, pid, line) => {
      if (isVerbose) report(`${name} [${pid}]   ${line}`)
    },
    onHttpResponse: (requestLine, status) => report(`${requestLine} ${status}`),
    onDenial: ({ role, permission: { action, resource } }) =>
      report(`denied: the role ${role} does not allow ${action} on ${resource}`),
    onCloudFailure: reason => report(`failed: ${reason}`),
  }
}

/** Maximum length of the result of a call in its line. */
const charactersMax = 120

function shorten(text: string): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
