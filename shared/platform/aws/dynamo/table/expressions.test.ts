import { expect, test } from 'vitest'
import { joinConditions, createPlaceholders, simplifyCondition } from './expressions.ts'

test('doubled parentheses are removed, all others stay', () => {
  expect(simplifyCondition('((a = b))')).toBe('(a = b)')
  expect(simplifyCondition(joinConditions('(a = b)', '((c = d)) OR (e = f)'))).toBe(
    '(a = b) AND ((c = d) OR (e = f))',
  )
  expect(simplifyCondition('NOT ((a = b) AND (c = d))')).toBe('NOT ((a = b) AND (c = d))')
  expect(simplifyCondition('size(#a) > :b')).toBe('size(#a) > :b')
})

test('placeholders contain the names of the expressions and only the used values', () => {
  const values = { one: { N: '1' }, two: { N: '2' } }
  expect(createPlaceholders(['SET #a = :one', undefined, '#a = #b'], values)).toEqual({
    ExpressionAttributeNames: { '#a': 'a', '#b': 'b' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  })
  expect(createPlaceholders(['attribute_exists(pk)'])).toEqual({})
})
