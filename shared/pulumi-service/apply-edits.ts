import * as z from 'zod'
import { createError } from '../errors/error.ts'

const pointForm = z.looseObject({ offset: z.int().nonnegative() })

/**
 * The form of an edit: the encoding of `TextEdit` in Go's library gotextdiff 1.0.3. Lines, columns
 * and the address of a span have no meaning here.
 */
export const editForm = z.looseObject({
  Span: z.looseObject({ start: pointForm, end: pointForm }),
  NewText: z.string(),
})

/** An edit: a text that replaces the bytes between two offsets. */
export type TextEdit = z.infer<typeof editForm>

/**
 * Applies edits to the bytes `base`, to which their offsets refer. Throws API_INPUT_INVALID unless
 * the edits are ascending, do not overlap, and lie within `base`. Throws API_BODY_TOO_LARGE when
 * the result exceeds `bytesMax`.
 */
export function applyEdits(
  base: Uint8Array,
  edits: readonly TextEdit[],
  bytesMax: number,
): Uint8Array {
  const parts: Uint8Array[] = []
  let [position, sizeBytes] = [0, 0]
  const add = (part: Uint8Array): void => {
    parts.push(part)
    sizeBytes += part.length
    if (sizeBytes > bytesMax)
      throw createError(
        'API_BODY_TOO_LARGE',
        `the checkpoint exceeds the limit of ${bytesMax} bytes`,
        {
          details: { bytesMax },
        },
      )
  }
  for (const [index, { Span: span, NewText: text }] of edits.entries()) {
    const { start, end } = span
    if (start.offset < position || end.offset < start.offset || end.offset > base.length)
      throw createError(
        'API_INPUT_INVALID',
        `edit ${index} replaces the bytes ${start.offset} to ${end.offset}: edits must ascend, must not overlap, and must lie within the ${base.length} bytes of the base`,
      )
    add(base.subarray(position, start.offset))
    add(Buffer.from(text, 'utf8'))
    position = end.offset
  }
  add(base.subarray(position))
  return Buffer.concat(parts)
}
