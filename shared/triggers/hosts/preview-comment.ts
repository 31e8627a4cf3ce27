import { triggerLimits } from '../../config/trigger-limits.ts'
import { toPrintable } from '../printable.ts'

/**
 * Formats the comment on a preview. The program chooses names and error texts, so the code fence is
 * longer than any code fence in the lines.
 */
export function formatPreviewComment({
  stack,
  commit,
  isSuccessful,
  lines,
  charsMax = triggerLimits.commentCharsMax,
}: {
  readonly stack: string
  readonly commit: string
  readonly isSuccessful: boolean
  readonly lines: readonly string[]
  /** Maximum number of characters of a comment on the host. */
  readonly charsMax?: number
}): string {
  const textCharsMax = charsMax - 500
  const text = lines.map(line => toPrintable(line, 2000)).join('\n')
  const shownText = text.length > textCharsMax ? `${text.slice(0, textCharsMax)}\n(cut here)` : text
  const longestTicks = Math.max(2, ...(shownText.match(/`+/g) ?? []).map(ticks => ticks.length))
  const fence = '`'.repeat(longestTicks + 1)
  const name = toPrintable(stack).replaceAll('`', "'")
  const result = isSuccessful ? 'succeeded' : 'failed'
  return `Preview of \`${name}\` at \`${commit.slice(0, 8)}\` ${result}.\n\n${fence}text\n${shownText}\n${fence}\n`
}
