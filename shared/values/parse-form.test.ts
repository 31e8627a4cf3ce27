import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseForm } from './parse-form.ts'

test.each([z.string().max(9), z.looseObject({ name: z.string().min(1) }), z.array(z.int()).max(3)])(
  'an object whose length cannot be compared is invalid, and no failure',
  form => {
    const hostile = { length: { toString: '' }, name: { length: { toString: '' } } }
    expect(parseForm(form, hostile).success).toBe(false)
  },
)

test('a valid value and an invalid one have the results of the form', () => {
  const form = z.object({ name: z.string() })
  expect(parseForm(form, { name: 'a' })).toEqual({ success: true, data: { name: 'a' } })
  expect(parseForm(form, { name: 1 }).error?.issues[0]?.path).toEqual(['name'])
})
