import { expect, test } from 'vitest'
import { convertFiles, convertText } from './conversion.fixture.ts'

const parts = `
variable "zones" { type = set(string) }
variable "sizes" { type = map(number) }
variable "owners" { type = map(object({ full_name = string })) }
variable "words" { type = list(string) }
variable "any" { type = any }
locals {
  names  = toset(["eu", "us"])
  chosen = var.any ? [] : local.names
  all    = merge(var.sizes, { a = 1 })
}
resource "x_server" "a" {}
`

// With positions as keys, the objects would have other names than in Terraform.
test.each([
  ['local.names', '{ for element in names : element => element }'],
  ['local.chosen', '{ for element in chosen : element => element }'],
  ['var.zones', '{ for element in zones : element => element }'],
  ['toset(var.words)', '{ for element in words : element => element }'],
  ['var.any ? var.zones : []', '{ for element in any ? zones : [] : element => element }'],
  ['x_server.a.zone', '{ for element in a.zones : element => element }'],
  ['toset(["eu", "eu"])', '{\n      eu = "eu"\n    }'],
  ['var.sizes', 'sizes'],
  ['var.owners', 'owners'],
  ['local.all', 'all'],
  ['{ (var.words[0]) = 1 }', '{\n      (words[0]) = 1\n    }'],
])('the resources of `for_each = %s` have the keys of Terraform', async (value, expected) => {
  const { text, notes } = await convertText(
    `${parts}resource "x_server" "each" {\n  for_each = ${value}\n}\n`,
  )
  expect(notes).toEqual([])
  expect(text).toContain(`    range = ${expected}\n`)
})

test('a value that may be a set is reported, unless it has a warning already', async () => {
  const { notes } = await convertText(`${parts}resource "x_server" "each" {
  for_each = var.any
}
resource "x_server" "other" {
  for_each = yamldecode("{}")
}
`)
  expect(notes).toMatchObject([
    { line: 14, column: 14, problem: expect.stringContaining("'any' may be a set") },
    { line: 17, problem: expect.stringContaining('yamldecode') },
  ])
})

const dynamicBlock = (collection: string, content: string): string =>
  `${parts}resource "x_server" "b" {
  dynamic "rule" {
    for_each = ${collection}
    content { ${content} }
  }
}
`

test.each([
  ['var.zones', 'key = rule.key', 'for ruleValue in zones', 'key = ruleValue'],
  ['local.names', 'key = rule.value', 'for ruleValue in names', 'key = ruleValue'],
  ['var.sizes', 'key = rule.key', 'for ruleKey, ruleValue in sizes', 'key = ruleKey'],
  ['var.words', 'from_port = rule.key', 'for ruleKey, ruleValue in words', 'fromPort = ruleKey'],
  ['var.any', 'key = rule.value', 'for ruleKey, ruleValue in any', 'key = ruleValue'],
])('a dynamic block over %s with %j begins with %j', async (collection, content, loop, item) => {
  const { text, notes } = await convertText(dynamicBlock(collection, content))
  expect(notes).toEqual([])
  expect(text).toContain(`[${loop} : {\n`)
  expect(text).toContain(`${item}\n`)
})

test('a dynamic block whose key may be the element of a set is reported', async () => {
  const { notes } = await convertText(dynamicBlock('var.any', 'key = rule.key'))
  expect(notes).toMatchObject([{ problem: expect.stringContaining("'any' may be a set") }])
})

test('the key of a `for` expression over a set is the element', async () => {
  const { text } = await convertText(
    `${parts}output "o" { value = { for key, zone in var.zones : key => zone } }\n`,
  )
  expect(text).toContain('value = { for zone in zones : zone => zone }')
})

test('an object whose keys differ from the names of the property is reported', async () => {
  const { notes } = await convertText(`
    variable "owner" { type = object({ full_name = string }) }
    variable "sizes" { type = map(string) }
    locals { owner = { full_name = "f" } }
    resource "x_server" "a" { owner = var.owner }
    resource "x_server" "b" { owner = local.owner }
    resource "x_server" "c" { owner = x_server.a.owner }
    resource "x_server" "d" { labels = var.sizes }
  `)
  expect(notes).toMatchObject([
    { line: 5, problem: "the names within 'owner' may differ in the new program" },
    { line: 6, problem: "the names within 'ownerLocal' may differ in the new program" },
  ])
})

test('a program in JSON repeats over the elements of sets', async () => {
  const program = {
    variable: { zones: { type: 'set(string)' } },
    resource: {
      x_server: {
        a: { for_each: '${toset(["eu"])}', display_name: '${each.key}' },
        b: { for_each: '${var.zones}' },
      },
    },
  }
  const { text, notes } = await convertFiles([
    { name: 'main.tf.json', text: JSON.stringify(program) },
  ])
  expect(notes).toEqual([])
  expect(text).toContain('range = {\n      eu = "eu"\n    }')
  expect(text).toContain('range = { for element in zones : element => element }')
})
