import { expect, test } from 'vitest'
import { convertText } from './conversion.fixture.ts'

test('variables, resources, references and outputs get their names from the schema', async () => {
  const { text, notes } = await convertText(`
    variable "size" { default = 7 }
    variable "pass" {
      type      = string
      sensitive = true
    }
    locals { zone = "z\${var.size}" }
    resource "x_server" "web_one" {
      display_name = local.zone
      size         = var.size
      ip_range     = ["10.0.0.0/8"]
      owner        = { full_name = var.pass }
      rule { from_port = 1 }
      rule { key = "k" }
      rate_limit { from_port = 5 }
      route "a b" { key = "r" }
      main_box { key = "b" }
    }
    output "token" {
      value     = x_server.web_one.api_token
      sensitive = true
    }
    output "limit" { value = x_server.web_one.rate_limit[0].from_port }
    output "ports" { value = x_server.web_one.rule[*].from_port }
  `)
  expect(notes).toEqual([])
  expect(text).toBe(`config size "number" {
  default = 7
}

config pass "string" {
  secret = true
}

zone = "z\${size}"

resource webOne "x:index/server:Server" {
  __logicalName = "web_one"
  displayName = zone
  size = size
  ipRanges = ["10.0.0.0/8"]
  owner = {
    fullName = pass
  }
  rules = [
    {
      fromPort = 1
    },
    {
      key = "k"
    },
  ]
  rateLimit = {
    fromPort = 5
  }
  route = {
    "a b" = {
      key = "r"
    }
  }
  mainBox = {
    key = "b"
  }
  options {
    deleteBeforeReplace = true
  }
}

output token {
  value = secret(webOne.apiToken)
}

output limit {
  value = webOne.rateLimit.fromPort
}

output ports {
  value = webOne.rules[*].fromPort
}
`)
})

test('counts, maps and sets repeat resources and data sources', async () => {
  const { text, notes } = await convertText(`
    resource "x_server" "many" {
      count        = 2
      display_name = "n\${count.index}"
    }
    resource "x_server" "each" {
      for_each     = toset(["eu", "us"])
      display_name = each.key
      provider     = x.west
    }
    data "x_image" "all" {
      for_each = { a = "1" }
      label    = each.value
    }
    provider "x" {
      alias   = "west"
      api_url = "u"
    }
    output "first" { value = x_server.many[0].display_name }
    output "eu" { value = x_server.each["eu"].api_token }
    output "image" { value = data.x_image.all["a"].image_id }
  `)
  expect(notes).toEqual([])
  for (const part of [
    'displayName = "n${range.value}"',
    'range = 2',
    'displayName = range.key',
    'range = {\n      eu = "eu"\n      us = "us"\n    }',
    'provider = west',
    'resource west "pulumi:providers:x" {\n  apiUrl = "u"\n}',
    'all = { for eachKey, eachValue in {\n  a = "1"\n} : eachKey => invoke("x:index/getImage:getImage", {',
    'value = many[0].displayName',
    'value = each["eu"].apiToken',
    'value = all["a"].imageId',
  ])
    expect(text).toContain(part)
})

test('settings of the lifecycle become options', async () => {
  const { text, notes } = await convertText(`
    resource "x_server" "a" {}
    resource "x_server" "b" {
      depends_on = [x_server.a]
      lifecycle {
        prevent_destroy       = true
        create_before_destroy = true
        ignore_changes        = [display_name, rule[0].from_port]
        replace_triggered_by  = [x_server.a, x_server.a.size]
      }
    }
    import {
      to = x_server.b
      id = "b-1"
    }
  `)
  expect(notes).toEqual([])
  expect(text).toContain(`  options {
    dependsOn = [a]
    protect = true
    ignoreChanges = [displayName, rules[0].fromPort]
    replaceWith = [a]
    replacementTrigger = [a.size]
    deleteBeforeReplace = false
    import = "b-1"
  }`)
})

test.each([
  ['"a\\n$${b} ${var.v} %%{c}"', '"a\\n$${b} ${v} %%{c}"'],
  ['"${var.v}"', 'v'],
  ['jsonencode({ a = [1, true, null] })', 'toJSON({\n  a = [1, true, null]\n})'],
  ['base64encode(file("${path.module}/x"))', 'toBase64(readFile("${rootDirectory()}/x"))'],
  ['format("%s-%d%%", var.v, 1 + 2)', '"${v}-${1 + 2}%"'],
  // A `$` before an interpolation would escape it, and `%` before `{` would begin a directive.
  ['format("a$%s$%d", var.v, 1)', '"a${"$"}${v}${"$"}${1}"'],
  ['format("$%%%{%s}", var.v)', '"$%%{${v}}"'],
  ['"$%{ if true }a%{ endif }"', '"${"$"}${true ? "a" : ""}"'],
  ['var.v == "" ? -1 : !true', 'v == "" ? -1 : !true'],
  ['[for i, s in split(",", var.v) : s if i > 0]', '[for i, s in split(",", v) : s if i > 0]'],
  ['{ for s in ["a"] : s => s... }', '{ for s in ["a"] : s => s... }'],
  ['"x%{ if var.v == "a" }yes%{ else }no%{ endif }"', '"x${v == "a" ? "yes" : "no"}"'],
  ['"%{ for s in ["a"] ~} ${s}, %{ endfor }"', 'join("", [for s in ["a"] : "${s}, "])'],
  ['tolist(["a"])[0]', '["a"][0]'],
  ['<<-EOT\n    a\n      ${var.v}\n    EOT\n', '"a\\n  ${v}\\n"'],
  ['terraform.workspace', 'stack()'],
  ['sensitive(var.v)', 'secret(v)'],
  ['upper(var.v)', 'invoke("std:index:upper", {\n  input = v\n}).result'],
  ['concat(["a"], [var.v])', 'invoke("std:index:concat", {\n  input = [["a"], [v]]\n}).result'],
  ['max([1, 2]...)', 'invoke("std:index:max", {\n  input = [1, 2]\n}).result'],
  ['timestamp()', 'invoke("std:index:timestamp", {}).result'],
  ['lookup({}, "a")', 'invoke("std:index:lookup", {\n  map = {}\n  key = "a"\n}).result'],
  ['format("%03d", 1)', 'invoke("std:index:format", {\n  input = "%03d"\n  args = [1]\n}).result'],
  [
    'cidrsubnets("10.0.0.0/8", 8, 4)',
    'invoke("std:index:cidrsubnets", {\n  input = "10.0.0.0/8"\n  newbits = [8, 4]\n}).result',
  ],
])('the expression %s becomes %s', async (expression, expected) => {
  const { text, notes } = await convertText(
    `variable "v" {}\noutput "o" {\n  value = ${expression}\n}\n`,
  )
  expect(notes).toEqual([])
  expect(text).toContain(`value = ${expected.replaceAll('\n', '\n  ')}\n`)
})

test('each part without an equivalent is reported once, with its place and the next step', async () => {
  const { text, notes } = await convertText(`module "net" { source = "./net" }
resource "x_server" "a" {
  display_name = yamlencode("a")
  color        = "red"
  size         = module.net.size
  provisioner "local-exec" {}
}
resource "terraform_data" "b" {}
`)
  expect(notes.map(({ file, line, problem }) => `${file}:${line} ${problem}`)).toEqual([
    "main.tf:1 the module 'net' was not converted",
    "main.tf:6 the provisioner of 'x_server.a' was left out",
    "main.tf:3 the function 'yamlencode' has no equivalent",
    "main.tf:4 the schema of the provider has no 'color'",
    "main.tf:5 'module.net' was not converted",
    "main.tf:8 'terraform_data.b' has a type without a provider",
  ])
  expect(notes.every(({ advice }) => advice.endsWith('.'))).toBe(true)
  expect(text).toContain(
    `displayName = notImplemented("main.tf:3: the function 'yamlencode' has no equivalent")`,
  )
})

test('a function of the package std with other results is reported', async () => {
  const { text, notes } = await convertText('output "o" {\n  value = timecmp("a", "b")\n}\n')
  expect(text).toContain('invoke("std:index:timecmp"')
  expect(notes).toMatchObject([
    { line: 2, problem: expect.stringContaining('returns 0 instead of 1') },
  ])
})

test('without the package std, its functions have no equivalent', async () => {
  const program = 'output "o" { value = upper("a") }'
  expect(await convertText(program)).toMatchObject({ notes: [], needsStandardPackage: true })
  const { text, notes, needsStandardPackage } = await convertText(program, {
    usesStandardPackage: false,
  })
  expect(notes).toMatchObject([{ problem: "the function 'upper' has no equivalent", line: 1 }])
  expect(text).toContain('value = notImplemented("main.tf:1: the function')
  expect(needsStandardPackage).toBe(false)
})

test('in the reduced dialect, a configuration value takes the place of each missing part', async () => {
  const { text } = await convertText('output "o" { value = yamlencode("a") }', {
    dialect: 'reduced',
  })
  expect(text).toContain('value = notImplemented_main_tf_1_22\n')
  expect(text).toContain('config notImplemented_main_tf_1_22 "string" {')
})

test('values of a file are defaults, except those of sensitive variables', async () => {
  const { text, notes } = await convertText(
    `variable "a" { type = number }
     variable "b" {
       type      = string
       sensitive = true
     }`,
    { values: 'a = 5\nb = "s3cret"\n' },
  )
  expect(text).toContain('config a "number" {\n  default = 5\n}')
  expect(text).not.toContain('s3cret')
  expect(notes).toMatchObject([{ file: 'terraform.tfvars', line: 2 }])
})

test.each([
  ['resource "x_server" "a" {\n  size = [1,\n', 'main.tf:3:1: the text ends too early'],
  ['output "a" {\n  value = 1 2\n}', "main.tf:2:13: '2' is not expected"],
  ['resource "x_server" {}', "main.tf:1:1: a block 'resource' must have 2 labels"],
  ['output "a" {}\noutput "a" {}', "main.tf:2:1: the output 'a' exists twice"],
  [`output "a" { value = ${'['.repeat(200)} }`, 'the nesting is too deep'],
])('the text %j is refused: %s', async (text, message) => {
  await expect(convertText(text)).rejects.toThrow(message)
})

// A stack overflow would end the command without the place in the file.
test.each([
  ['templates', (inner: string) => `"\${${'('.repeat(45)}${inner}${')'.repeat(45)}}"`, 90, '1'],
  ['directives', (inner: string) => `%{ if true }${inner}%{ endif }`, 9_000, ''],
])('nested %s are refused below the deepest level', async (_name, wrap, count, start) => {
  let value = start
  for (let level = 0; level < count; level++) value = wrap(value)
  // Directives are valid only within quotes.
  const text = `output "a" { value = ${start === '' ? `"${value}"` : value} }`
  await expect(convertText(text)).rejects.toMatchObject({
    code: 'TERRAFORM_FILE_INVALID',
    message: expect.stringContaining('the nesting is too deep'),
  })
})
