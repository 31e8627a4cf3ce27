import { expect, test } from 'vitest'
import { convertText } from './conversion.fixture.ts'

const parts = `
  variable "a" {}
  variable "c" {}
  resource "x_server" "many" { count = 2 }
`

test.each([
  ['tonumber(var.a + 1) * 2', '(a + 1) * 2'],
  ['!tobool(var.a && var.c)', '!(a && c)'],
  ['tolist(var.c ? [1] : [2])[0]', '(c ? [1] : [2])[0]'],
  ['tolist(x_server.many[*].size)[0]', '(many[*].size)[0]'],
  ['"${tolist(var.a)}"', 'a'],
])('a conversion without a call keeps the precedence: %s becomes %s', expectExpression)

// A parser that refuses this index would stop the conversion.
test.each([
  ['x_server.many.*.display_name', 'many[*].displayName'],
  ['x_server.many.*.display_name[0]', '(many[*].displayName)[0]'],
  ['x_server.many.*.owner[1].full_name', '(many[*].owner)[1].fullName'],
  ['x_server.many.*.owner[*].full_name', '(many[*].owner)[*].fullName'],
  ['x_server.many.*', 'many[*]'],
])('an index after the attributes of a splat applies to the list: %s', expectExpression)

// The steps of a splat cannot have the brackets of a flattened property in their middle.
test.each([
  ['x_server.many[*].rate_limit', '[for element in many : [element.rateLimit]]'],
  ['x_server.many[*].rate_limit[0].key', 'many[*].rateLimit.key'],
  ['x_server.many[*].rate_limit[*].key', '[for element in many : [element.rateLimit][*].key]'],
  ['x_server.many[*].rule[0].key', 'many[*].rules[0].key'],
])('a splat over a flattened property: %s becomes %s', expectExpression)

async function expectExpression(expression: string, expected: string): Promise<void> {
  const { text, notes } = await convertText(`${parts}output "o" {\n  value = ${expression}\n}\n`)
  expect(notes).toEqual([])
  expect(text).toContain(`value = ${expected}\n`)
}

test('a splat within the attributes of another one is refused', async () => {
  await expect(convertText('output "o" { value = x_server.a.*.b.*.c }')).rejects.toThrow(
    "main.tf:1:36: '.' is not expected",
  )
})

test('a splat with too many attributes is refused', async () => {
  const steps = '.a'.repeat(2000)
  await expect(convertText(`output "o" { value = x_server.a.*${steps} }`)).rejects.toThrow(
    'the reference has too many parts',
  )
})

test('an expression with thousands of operators is refused, and one with hundreds is printed', async () => {
  const createSum = (count: number): string =>
    `output "o" { value = ${Array.from({ length: count }, () => '1').join(' + ')} }`
  const { text } = await convertText(createSum(700))
  expect(text).toContain('1 + 1 + 1')
  for (const count of [900, 30_000])
    await expect(convertText(createSum(count))).rejects.toThrow(
      'main.tf:1:22: the expression has too many operators or parts',
    )
  // Each pair of parentheses has a sum of its own, so the levels of all sums count together.
  const nested = `${'('.repeat(40)}1${`${' + 1'.repeat(100)})`.repeat(40)}`
  await expect(convertText(`output "o" { value = ${nested} }`)).rejects.toThrow(
    'too many operators or parts',
  )
})
