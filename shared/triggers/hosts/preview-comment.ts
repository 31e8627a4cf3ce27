import { triggerLimits } from '../../config/trigger-limits.ts'
import { toPrintable } from '../printable.ts'

/** Characters that are reserved for the heading, the code fences and the marker of the comment. */
const reservedChars = 500
/** Maximum number of characters in a line of the comment. */
const lineCharsMax = 2_000

/**
 * Formats the comment on a preview. The program chooses names and error texts, so the code fence is
 * longer than any code fence in the lines.
 */
export function formatPreviewComment({
  stack,
  commit,
  isSuccessful,
  lines,
  targetUrl,
  charsMax = triggerLimits.commentCharsMax,
}: {
  readonly stack: string
  readonly commit: string
  readonly isSuccessful: boolean
  readonly lines: readonly string[]
  /** The address of the dashboard's page of the preview. Absent: the comment has no link. */
  readonly targetUrl?: string
  /** Maximum number of characters of a comment on the host. */
  readonly charsMax?: number
}): string {
  const link =
    targetUrl === undefined
      ? ''
      : `[Changes, forecast, policy findings and approval](${targetUrl})\n\n`
  const textCharsMax = charsMax - reservedChars - link.length
  const text = lines.map(line => toPrintable(line, lineCharsMax)).join('\n')
  const shownText = text.length > textCharsMax ? `${text.slice(0, textCharsMax)}\n(cut here)` : text
  const longestTicks = Math.max(2, ...(shownText.match(/`+/g) ?? []).map(ticks => ticks.length))
  const fence = '`'.repeat(longestTicks + 1)
  const name = toPrintable(stack).replaceAll('`', "'")
  const result = isSuccessful ? 'succeeded' : 'failed'
  return `Preview of \`${name}\` at \`${commit.slice(0, 8)}\` ${result}.\n\n${link}${fence}text\n${shownText}\n${fence}\n`
}
