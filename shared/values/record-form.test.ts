import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createRecordForm, jsonForm } from './record-form.ts'

const parse = (text: string): unknown => JSON.parse(text)

describe('createRecordForm', () => {
  const form = createRecordForm(z.string().max(3), z.string().regex(/^\w+$/))

  test('keeps every key in its order, including __proto__', () => {
    const text = '{"a":"1","__proto__":"2","constructor":"3"}'
    const record = form.parse(parse(text))
    expect(JSON.stringify(record)).toBe(text)
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
  })

  test('applies the form of the values to the value of __proto__', () => {
    const lengths = createRecordForm(z.string().transform(text => text.length))
    expect(JSON.stringify(lengths.parse(parse('{"__proto__":"ab","b":"c"}')))).toBe(
      '{"__proto__":2,"b":1}',
    )
  })

  test.each([
    ['{"a":"long text"}', ['a']],
    ['{"__proto__":"long text"}', ['__proto__']],
    ['{"__proto__":{"a":1}}', ['__proto__']],
    ['{"a b":"1"}', ['a b']],
    ['[]', []],
    ['null', []],
  ])('refuses %s and names the location %j', (text, path) => {
    expect(form.safeParse(parse(text)).error?.issues.map(issue => issue.path)).toEqual([path])
  })

  test('refuses __proto__ where the form of the keys refuses it', () => {
    const short = createRecordForm(z.string(), z.string().max(3))
    expect(short.safeParse(parse('{"__proto__":"a"}')).error?.issues[0]?.path).toEqual([
      '__proto__',
    ])
  })

  test('has the JSON schema of the record', () => {
    const expected = { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } }
    for (const io of ['input', 'output'] as const)
      expect(z.toJSONSchema(form, { io, unrepresentable: 'any' })).toMatchObject(expected)
  })
})

test('jsonForm keeps nested keys with the name __proto__, and refuses an absent value', () => {
  const text = '{"a":[{"__proto__":{"b":1}}]}'
  expect(JSON.stringify(jsonForm.parse(parse(text)))).toBe(text)
  expect(z.object({ value: jsonForm }).safeParse({}).success).toBe(false)
})
