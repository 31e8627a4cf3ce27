import { structuredPatch } from 'diff'

/** One line of a diff. `depth`: the level of nesting, from 0. */
export interface DiffLine {
  readonly mark: '+' | '-' | '~' | ' '
  readonly depth: number
  readonly text: string
}

/** Number of equal lines before and after changed ones. */
const contextLines = 2
/** Maximum number of changed lines. A diff with more of them shows only the line counts. */
const changedLinesMax = 2_000

/**
 * Returns the changed lines of a text, with equal lines before and after them. A line `…` stands
 * for omitted equal lines between two places. Lines are quoted, so they contain no control
 * characters.
 */
export function diffTextLines(old: string, next: string, depth: number): readonly DiffLine[] {
  // The remark about a missing line break is useful only if the other text has the line break.
  const end = old.endsWith('\n') || next.endsWith('\n') ? '' : '\n'
  const patch = structuredPatch('', '', old + end, next + end, '', '', {
    context: contextLines,
    maxEditLength: changedLinesMax,
  })
  if (patch === undefined)
    return [{ mark: '~', depth, text: `${countLines(old)} lines => ${countLines(next)} lines` }]
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : [{ mark: ' ' as const, depth, text: '…' }]),
    ...lines.map(line => formatLine(line, depth)),
  ])
}

/** Formats a line of a patch. Its first character is `+`, `-`, a space, or `\` for a remark. */
function formatLine(line: string, depth: number): DiffLine {
  const mark = line[0]
  if (mark === '+' || mark === '-' || mark === ' ')
    return { mark, depth, text: JSON.stringify(line.slice(1)) }
  return { mark: ' ', depth, text: '(no line break at the end)' }
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}
