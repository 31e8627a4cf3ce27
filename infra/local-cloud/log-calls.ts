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
    onCall: (name, { outcome, pid, durationMs, isCold }) => {
      const resultText = outcome.kind === 'answered' ? shorten(outcome.json) : outcome.reason
      const coldSuffix = isCold ? ', cold' : ''
      // A streamed response has no other result.
      const suffix = resultText === 'null' ? '' : `: ${resultText}`
      report(
        `${name} [${pid}${coldSuffix}] ${(durationMs / 1000).toFixed(1)} s, ${outcome.kind}${suffix}`,
      )
    },
    onLine: (name, pid, line) => {
      if (isVerbose) report(`${name} [${pid}]   ${line}`)
    },
    onReply: (requestLine, status) => report(`${requestLine} ${status}`),
    onFailure: reason => report(`failed: ${reason}`),
  }
}

const charactersMax = 120

function shorten(text: string): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
