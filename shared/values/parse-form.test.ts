import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseForm } from './parse-form.ts'

test.each([z.string().max(9), z.looseObject({ name: z.string().min(1) }), z.array(z.int()).max(3)])(
  'parseForm refuses an object whose length cannot be compared, and does not throw',
  form => {
    const hostile = { length: { toString: '' }, name: { length: { toString: '' } } }
    expect(parseForm(form, hostile).success).toBe(false)
  },
)

test('parseForm returns the result of the form for a valid and an invalid value', () => {
  const form = z.object({ name: z.string() })
  expect(parseForm(form, { name: 'a' })).toEqual({ success: true, data: { name: 'a' } })
  expect(parseForm(form, { name: 1 }).error?.issues[0]?.path).toEqual(['name'])
})
