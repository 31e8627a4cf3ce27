import type { CloudTold } from './cloud.ts'

/** Tells each call of a function as one line, and with `isVerbose` what its environments say. */
export function tellCalls(say: (line: string) => void, isVerbose: boolean): CloudTold {
  return {
    called: (name, { outcome, pid, ms, isCold }) => {
      const came = outcome.kind === 'answered' ? shortened(outcome.json) : outcome.why
      const start = isCold ? ', cold' : ''
      // What streams its answer has no other one.
      const said = came === 'null' ? '' : `: ${came}`
      say(`${name} [${pid}${start}] ${(ms / 1000).toFixed(1)} s, ${outcome.kind}${said}`)
    },
    said: (name, pid, line) => {
      if (isVerbose) say(`${name} [${pid}]   ${line}`)
    },
    replied: (what, status) => say(`${what} ${status}`),
    failed: why => say(`failed: ${why}`),
  }
}

const shownChars = 120

function shortened(text: string): string {
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text
}
