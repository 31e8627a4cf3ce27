import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFieldText } from '../../shared/values/json-field-text.ts'
import { applyEdits, type TextEdit } from '../../shared/pulumi-service/apply-edits.ts'

const bytesMax = 1_000

function editOf(start: number, end: number, text: string): TextEdit {
  return { Span: { start: { offset: start }, end: { offset: end } }, NewText: text }
}

const someText = fc.string({ unit: 'grapheme', maxLength: 40 })
/** A text in pieces, each with its replacement. Undefined: the piece stays. */
const somePieces = fc.array(fc.tuple(someText, fc.option(someText, { nil: undefined })), {
  maxLength: 8,
})

test('edits replace exactly the bytes that they name', () => {
  fc.assert(
    fc.property(somePieces, pieces => {
      let offset = 0
      const edits: TextEdit[] = []
      for (const [piece, replacement] of pieces) {
        const end = offset + Buffer.byteLength(piece)
        if (replacement !== undefined) edits.push(editOf(offset, end, replacement))
        offset = end
      }
      const base = Buffer.from(pieces.map(([piece]) => piece).join(''))
      const expected = pieces.map(([piece, replacement]) => replacement ?? piece).join('')
      const edited = applyEdits(base, edits, 100_000)
      expect(Buffer.from(edited).toString('utf8')).toBe(Buffer.from(expected).toString('utf8'))
    }),
  )
})

test('a result above the limit is refused', () => {
  const base = Buffer.from('a'.repeat(600))
  const edits = [editOf(0, 0, 'b'.repeat(401))]
  expect(() => applyEdits(base, edits, bytesMax)).toThrow(
    expect.objectContaining({ code: 'API_BODY_TOO_LARGE' }),
  )
})

test('findFieldText returns the text of the field whose value JSON.parse returns', () => {
  const someSpace = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ü"'), fc.jsonValue(), someSpace)),
      fields => {
        const parts = fields.map(
          ([name, value, space]) =>
            `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value, null, space)}${space}`,
        )
        const text = `{${parts.join(',')}}`
        const parsed = JSON.parse(text) as Record<string, unknown>
        for (const name of ['a', 'b', 'ü"', 'c']) {
          const found = findFieldText(text, name)
          const expected = Object.hasOwn(parsed, name) ? parsed[name] : undefined
          expect(found === undefined ? undefined : JSON.parse(found)).toEqual(expected)
        }
      },
    ),
  )
})
