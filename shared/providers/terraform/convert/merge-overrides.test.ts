import { expect, test } from 'vitest'
import { convertFiles, convertText } from './conversion.fixture.ts'

/** Converts `main.tf` with the override files. */
const convertWith = (main: string, ...overrides: readonly (readonly [string, string])[]) =>
  convertFiles([
    ...overrides.map(([name, text]) => ({ name, text })),
    { name: 'main.tf', text: main },
  ])

const main = `variable "size" {
  type    = number
  default = 1
}
locals { zone = "a" }
resource "x_server" "a" {
  display_name = "first"
  size         = var.size
  rule { from_port = 1 }
  rule { from_port = 2 }
  rate_limit { from_port = 5 }
  lifecycle {
    prevent_destroy = true
    ignore_changes  = [size]
  }
}
output "zone" { value = local.zone }
`

const expected = `variable "size" {
  type    = number
  default = 2
}
locals { zone = "b" }
resource "x_server" "a" {
  size         = var.size
  display_name = "second"
  rate_limit { from_port = 5 }
  rule { from_port = 3 }
  lifecycle {
    prevent_destroy = true
    ignore_changes  = [display_name]
  }
}
output "zone" {
  value     = local.zone
  sensitive = true
}
`

test.each<readonly [string, string]>([
  [
    'override.tf',
    `variable "size" { default = 2 }
locals { zone = "b" }
resource "x_server" "a" {
  display_name = "second"
  rule { from_port = 3 }
  lifecycle { ignore_changes = [display_name] }
}
output "zone" { sensitive = true }`,
  ],
  [
    'dev_override.tf.json',
    JSON.stringify({
      variable: { size: { default: 2 } },
      locals: { zone: 'b' },
      resource: {
        x_server: {
          a: {
            display_name: 'second',
            rule: { from_port: 3 },
            lifecycle: { ignore_changes: ['display_name'] },
          },
        },
      },
      output: { zone: { sensitive: true } },
    }),
  ],
])('%s replaces attributes and blocks, and merges the lifecycle', async (name, text) => {
  const [merged, other] = [await convertWith(main, [name, text]), await convertText(expected)]
  expect(merged.notes).toEqual([])
  const sortLines = (program: string) => program.split('\n').toSorted()
  expect(sortLines(merged.text)).toEqual(sortLines(other.text))
})

test('override files are merged in the order of their names, even if they precede the main file', async () => {
  const { text } = await convertWith(
    'locals { zone = "a" }',
    ['a_override.tf', 'locals { zone = "b" }'],
    ['override.tf.json', '{"locals": {"zone": "c"}}'],
  )
  expect(text).toContain('zone = "c"')
})

test('a dynamic block replaces the blocks that it creates', async () => {
  const { text } = await convertWith(main, [
    'override.tf',
    `resource "x_server" "a" {
  dynamic "rule" {
    for_each = [7]
    content { from_port = rule.value }
  }
}`,
  ])
  expect(text).toContain('rules = [for ruleKey, ruleValue in [7] :')
  expect(text).not.toContain('fromPort = 1')
})

test('a message about a merged part names the override file', async () => {
  const { notes } = await convertWith(main, [
    'override.tf',
    `
resource "x_server" "a" {
  display_name = yamlencode("a")
  color        = "red"
  provisioner "local-exec" {}
}`,
  ])
  expect(notes.map(({ file, line, problem }) => `${file}:${line} ${problem}`)).toEqual([
    "override.tf:5 the provisioner of 'x_server.a' was left out",
    "override.tf:3 the function 'yamlencode' has no equivalent",
    "override.tf:4 the schema of the provider has no 'color'",
  ])
})

test('an override file adds the configuration of a provider', async () => {
  const { text } = await convertWith('resource "x_server" "a" {}', [
    'override.tf',
    'provider "x" { api_url = "https://example.com" }',
  ])
  expect(text).toContain('apiUrl = "https://example.com"')
})

test.each([
  ['variable "b" {}', "override.tf:1:1: no other file declares the variable 'b'"],
  ['output "b" {}', "override.tf:1:1: no other file declares the output 'b'"],
  ['locals { b = 1 }', "override.tf:1:14: no other file declares the local value 'b'"],
  [
    'resource "x_server" "b" {}',
    "override.tf:1:1: no other file declares the resource 'x_server.b'",
  ],
  ['data "x_image" "b" {}', "no other file declares the data source 'x_image.b'"],
  ['provider "x" { alias = "b" }', "no other file declares the provider 'x.b'"],
  [
    'resource "x_server" "a" { depends_on = [] }',
    'override.tf:1:40: an override file cannot change `depends_on`',
  ],
  [
    'import {\n to = x_server.a\n id = "1"\n}',
    'override.tf:1:1: an override file cannot import objects',
  ],
])('the override %j is refused: %s', async (text, message) => {
  await expect(convertWith(main, ['override.tf', text])).rejects.toThrow(message)
})
