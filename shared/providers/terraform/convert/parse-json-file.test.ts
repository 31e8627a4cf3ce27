import { expect, test } from 'vitest'
import { convertFiles, convertText } from './conversion.fixture.ts'

/** Converts a program of `main.tf.json`. */
const convertJson = (program: unknown) =>
  convertFiles([{ name: 'main.tf.json', text: JSON.stringify(program) }])

test('a program in JSON is the same program as in the language of Terraform', async () => {
  const expected = await convertText(`
    variable "sizes" {
      type        = list(number)
      default     = [-1, 2.50]
      description = "no $\${template}"
    }
    variable "names" { default = "a $\${b} c" }
    locals {
      zone = "z\${var.sizes[0]}"
      map  = { "a\${1 + 1}" = upper("x\\"y") }
    }
    provider "x" {
      alias   = "second"
      api_url = "https://example.com"
    }
    resource "x_server" "web" {
      for_each     = toset(["a", "b"])
      provider     = x.second
      display_name = each.key
      labels       = { "//" = "kept" }
      owner        = { full_name = local.zone }
      rule {
        from_port = 1
        key       = "k"
      }
      rate_limit { from_port = 5 }
      route "a b" { key = "r" }
      main_box { key = "b" }
      depends_on = [x_server.base]
      lifecycle {
        ignore_changes  = [size]
        prevent_destroy = true
      }
    }
    resource "x_server" "base" {
      dynamic "rule" {
        for_each = var.sizes
        iterator = port
        content { from_port = port.value }
      }
    }
    data "x_image" "os" { label = "os" }
    output "token" {
      value     = x_server.base.api_token
      sensitive = true
    }
  `)
  const converted = await convertJson({
    '//': 'a comment',
    variable: {
      sizes: { type: 'list(number)', default: [-1, 2.5], description: 'no ${template}' },
      names: { default: 'a ${b} c' },
    },
    locals: [{ zone: 'z${var.sizes[0]}' }, { map: { 'a${1 + 1}': '${upper("x\\"y")}' } }],
    provider: { x: [{ alias: 'second', api_url: 'https://example.com' }] },
    resource: [
      {
        x_server: {
          web: {
            '//': 'a comment',
            for_each: '${toset(["a", "b"])}',
            provider: 'x.second',
            display_name: '${each.key}',
            labels: { '//': 'kept' },
            owner: { full_name: '${local.zone}' },
            rule: [{ '//': 'a comment', from_port: 1, key: 'k' }],
            rate_limit: { from_port: 5 },
            route: { 'a b': { key: 'r' } },
            main_box: [{ key: 'b' }],
            depends_on: ['x_server.base'],
            lifecycle: { ignore_changes: ['size'], prevent_destroy: true },
          },
        },
      },
      {
        x_server: {
          base: {
            dynamic: {
              rule: {
                for_each: '${var.sizes}',
                iterator: 'port',
                content: { from_port: '${port.value}' },
              },
            },
          },
        },
      },
    ],
    data: { x_image: { os: { label: 'os' } } },
    output: { token: { value: '${x_server.base.api_token}', sensitive: true } },
  })
  expect(converted.notes).toEqual([])
  // JSON.stringify drops the last digit of 2.50.
  expect(converted.text.replaceAll('2.5]', '2.50]')).toBe(expected.text)
})

test('values of a JSON file are no templates, and later files override earlier ones', async () => {
  const { text } = await convertFiles([
    { name: 'main.tf', text: 'variable "a" {}\nvariable "b" {}' },
    { name: 'terraform.tfvars', text: 'a = "first"\nb = "kept"' },
    { name: 'x.auto.tfvars.json', text: '{"a": "${last}"}' },
  ])
  expect(text).toContain('default = "$${last}"')
  expect(text).toContain('default = "kept"')
})

test('parts of a program in JSON without an equivalent are reported with their place', async () => {
  const { notes } = await convertFiles([
    {
      name: 'main.tf.json',
      text: `{
  "terraform": {"backend": {"s3": {}}, "required_providers": {"x": {"source": "example/x"}}},
  "module": {"net": {"source": "./net"}},
  "resource": {"x_server": {"a": {
    "color": "red",
    "display_name": "${'${yamlencode(1)}'}",
    "provisioner": [{"local-exec": {"command": "true"}}]
  }}}
}`,
    },
  ])
  expect(notes.map(({ file, line, problem }) => `${file}:${line} ${problem}`)).toEqual([
    "main.tf.json:2 the block 'backend' has no equivalent in a program",
    "main.tf.json:3 the module 'net' was not converted",
    "main.tf.json:7 the provisioner of 'x_server.a' was left out",
    "main.tf.json:5 the schema of the provider has no 'color'",
    "main.tf.json:6 the function 'yamlencode' has no equivalent",
  ])
})

test.each(['main.tf', 'main.tf.json'])(
  'each part without an equivalent in the block `terraform` of %s is reported',
  async name => {
    const hcl = `terraform {
  required_version = ">= 1.6"
  experiments      = [example]
  cloud {}
  provider_meta "x" {
    module_name = "network"
  }
  required_providers {
    x = { source = "example/x" }
  }
}`
    const json = `{"terraform": {
  "required_version": ">= 1.6",
  "experiments": ["example"],
  "cloud": {},
  "provider_meta": {"x": {"module_name": "network"}},
  "required_providers": {"x": {"source": "example/x"}}
}}`
    const { notes } = await convertFiles([{ name, text: name.endsWith('.json') ? json : hcl }])
    const loginAdvice = 'Choose the place of the state with `antichain login`.'
    expect(
      notes.map(({ line, problem, advice }) => [line, problem.split(' has no ')[0], advice]),
    ).toEqual([
      [
        2,
        "the attribute 'required_version'",
        'No step is needed, because Terraform does not run the new program.',
      ],
      [3, "the attribute 'experiments'", 'Write its effect into the new program by hand.'],
      [4, "the block 'cloud'", loginAdvice],
      [
        5,
        "the block 'provider_meta'",
        'Write the metadata into the parameter `providerMeta` of the package.',
      ],
    ])
  },
)

test.each([
  ['{"output": {"a": {"value": 1,}}}', "main.tf.json:1:30: '}}}' is not expected"],
  ['{"output": 1}', 'main.tf.json:1:12: an object is expected'],
  ['{"output": {"a": {"value": "${1 2}"}}}', "main.tf.json:1:33: '2' is not expected"],
  ['{"output": {"a": {"value": 1, "value": 2}}}', "main.tf.json:1:31: 'value' is set twice"],
  ['{"color": 1}', "main.tf.json:1:11: 'color' is in no block"],
  ['null', 'main.tf.json:1:1: an object is expected'],
  ['{"resource": [null]}', 'main.tf.json:1:15: an object is expected'],
  ['{"constructor": {}}', "main.tf.json:1:17: 'constructor' is in no block"],
  ['{"resource": {"x_server": 1}}', 'main.tf.json:1:27: an object is expected'],
  ['{"output": {"a": {"value": "a\nb"}}}', "main.tf.json:1:28: '\"a' is not expected"],
  [`{"locals": ${'['.repeat(200)}`, 'the nesting is too deep'],
  ['{"locals": {}', 'main.tf.json:1:14: the text ends too early'],
])('the JSON %j is refused: %s', async (text, message) => {
  await expect(convertFiles([{ name: 'main.tf.json', text }])).rejects.toThrow(message)
})

test.each([
  ['{"resource": null, "terraform": null, "locals": null}', '{}'],
  ['{"resource": {"x_server": null}}', '{}'],
  ['{"resource": {"x_server": {"a": null}}, "variable": {"y": null}}', '{}'],
  ['{"terraform": {"backend": null, "required_providers": null}}', '{}'],
  ['{"output": {"a": {"value": 1, "precondition": null}}}', '{"output": {"a": {"value": 1}}}'],
  [
    '{"resource": {"x_server": {"a": {"lifecycle": {"precondition": null}, "provisioner": null}}}}',
    '{"resource": {"x_server": {"a": {"lifecycle": {}}}}}',
  ],
])('null in place of a block or of its labels is no block: %j', async (text, equalText) => {
  const convert = (json: string) => convertFiles([{ name: 'main.tf.json', text: json }])
  expect(await convert(text)).toEqual(await convert(equalText))
})

test('a block type that is named like a field of all objects is refused as unknown', async () => {
  const files = [{ name: 'main.tf', text: 'constructor {}' }]
  await expect(convertFiles(files)).rejects.toThrow("main.tf:1:1: 'constructor' is no block")
})

test('a function that is named like a field of all objects has no equivalent', async () => {
  const { notes } = await convertText('output "a" { value = constructor(1) }')
  expect(notes.map(({ problem }) => problem)).toEqual([
    "the function 'constructor' has no equivalent",
  ])
})
