import { expect, test } from 'vitest'
import { convertFiles, convertText } from './conversion.fixture.ts'

// Without the option `provider`, the call would ignore the configuration, such as the region.
test.each([
  ['', 'provider "x" { api_url = "u" }', '{\n  provider = x\n}'],
  ['provider = x', 'provider "x" { api_url = "u" }', '{\n  provider = x\n}'],
  [
    'provider = x.west',
    'provider "x" {\n  alias = "west"\n  api_url = "u"\n}',
    '{\n  provider = west\n}',
  ],
])(
  'a data source with the argument %j uses the configuration of the provider',
  async (argument, provider, options) => {
    const { text, notes } = await convertText(
      `${provider}\ndata "x_image" "a" {\n  label = "l"\n  ${argument}\n}\n`,
    )
    expect(notes).toEqual([])
    expect(text).toContain(`invoke("x:index/getImage:getImage", {\n  label = "l"\n}, ${options})`)
  },
)

test('a data source keeps its dependencies, and its conditions are reported', async () => {
  const { text, notes } = await convertText(`resource "x_server" "s" {}
data "x_image" "a" {
  label      = "l"
  depends_on = [x_server.s]
  lifecycle {
    postcondition {
      condition     = true
      error_message = "m"
    }
  }
}
`)
  expect(text).toContain('{\n  label = "l"\n}, {\n  dependsOn = [s]\n})')
  expect(notes).toMatchObject([{ line: 6, problem: 'the postcondition was left out' }])
})

// The host of YAML makes the call before it has created the resources.
test('in the reduced dialect, the dependencies of a data source are reported', async () => {
  const { text, notes } = await convertText(
    `resource "x_server" "s" {}
data "x_image" "a" {
  label      = "l"
  depends_on = [x_server.s]
}
`,
    { dialect: 'reduced' },
  )
  expect(text).toContain('dependsOn = [s]')
  expect(notes).toMatchObject([
    { line: 4, problem: "the call of 'data.x_image.a' does not wait for its dependencies" },
  ])
})

test('the dependencies of an output are reported', async () => {
  const { notes } = await convertText(`resource "x_server" "s" {}
output "o" {
  value      = 1
  depends_on = [x_server.s]
}
`)
  expect(notes).toMatchObject([
    { line: 4, problem: "the dependencies of the output 'o' were left out" },
  ])
})

test('`ignore_changes = all` is reported at its place in the file of the last override', async () => {
  const { notes } = await convertFiles([
    { name: 'main.tf', text: 'resource "x_server" "s" {}\n' },
    {
      name: 'a_override.tf',
      text: 'resource "x_server" "s" {\n\n\n  lifecycle {\n    ignore_changes = all\n  }\n}\n',
    },
    {
      name: 'b_override.tf',
      text: 'resource "x_server" "s" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n',
    },
  ])
  expect(notes).toMatchObject([{ file: 'a_override.tf', line: 5, column: 22 }])
})
