import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { packagePlatformOf } from '../../shared/providers/terraform/install/package-folders.ts'
import { type CommandBench, createCommandBench } from '../integration/backends/command-bench.ts'
import { buildPublishedProviders } from '../providers/terraform/build-providers.ts'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { describeWithCommands } from './toolchains.ts'
import { installYamlPlugins } from './yaml-plugins.ts'

const slowMs = 900_000
const cases = resolve(import.meta.dirname, '../tfgolden/cases')

/** The provider as a program of Terraform requires it. */
const requirement = `terraform {
  required_providers {
    tfgold = { source = "example/tfgold", version = "1.0.0" }
  }
}
`

/** A recorded result of OpenTofu. */
interface RecordedResult {
  readonly cloud: Readonly<Record<string, { readonly attrs: object; readonly name: string }>>
}

/** The parts of an exported stack that the tests read. */
interface ExportedStack {
  readonly deployment: {
    readonly resources: readonly {
      readonly urn: string
      readonly outputs: Readonly<Record<string, unknown>>
    }[]
  }
}

describeWithCommands('convert --from terraform', [['go', 'version']], () => {
  let bench: CommandBench
  beforeEach(() => {
    bench = createCommandBench()
    rmSync(join(bench.root, 'Pulumi.yaml'))
    const path = [installYamlPlugins(), process.env['PATH']].join(delimiter)
    const variables = {
      PATH: path,
      ANTICHAIN_USER_PATH: path,
      TFGOLD_CLOUD: join(bench.root, 'cloud'),
      TF_CLI_CONFIG_FILE: installProvider(bench.root),
    }
    mkdirSync(join(bench.root, 'cloud/objects'), { recursive: true })
    for (const [name, value] of Object.entries(variables)) {
      bench.env[name] = value
      // Providers and language hosts inherit the variables of the process.
      vi.stubEnv(name, value)
    }
  }, slowMs)
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(bench.root, { recursive: true, force: true })
  })

  const run = async (...args: string[]): Promise<{ out: string; err: string }> => {
    const { exit, out, err } = await bench.run(...args)
    if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}${out}`)
    return { out, err }
  }
  const runConverted = async (...args: string[]): Promise<string> =>
    (await run('-C', join(bench.root, 'yaml'), ...args)).out

  /** Converts a program to YAML, and deploys it. Returns the messages of the conversion. */
  const deploy = async (program: string, header = requirement): Promise<string> => {
    writeFileSync(join(bench.root, 'main.tf'), `${header}${program}`)
    const { err } = await run(
      ...['convert', '--from', 'terraform', '--language', 'yaml', '--out', 'yaml'],
      ...['--name', 'shop', '--generate-only'],
    )
    await runConverted('stack', 'init', 'dev')
    await runConverted('up', '--yes', '--skip-preview')
    return err
  }

  test.each([
    ...['types', 'blocks', 'nested', 'sensitive', 'dependency-chain', 'create-update-destroy'],
    ...['data-source', 'provider-config', 'providers-two', 'functions', 'block-dynamic'],
  ])(
    'the case %s creates the objects that OpenTofu created',
    async name => {
      const folder = join(cases, name)
      const text = readFileSync(join(folder, 'expected/01.json'), 'utf8')
      const recorded = JSON.parse(text) as RecordedResult
      if (name === 'data-source') createObject(bench.root, 'x', { value: 'looked up' })
      await deploy(readFileSync(join(folder, 'main.1.tf'), 'utf8'))
      expect(readCloud(join(bench.root, 'cloud/objects'))).toEqual(recorded.cloud)
    },
    slowMs,
  )

  test(
    'variables, local values and outputs keep their values, and sensitive outputs are secret',
    async () => {
      const err = await deploy(`
variable "size" { default = 7 }
variable "label" {
  type    = string
  default = "x"
}
locals { text = "\${var.label}-\${var.size}" }
resource "tfgold_thing" "first_one" {
  name  = "f"
  value = local.text
  size  = var.size
  lifecycle { prevent_destroy = true }
}
resource "tfgold_thing" "b" {
  name       = "b"
  labels     = { from = tfgold_thing.first_one.arn }
  depends_on = [tfgold_thing.first_one]
}
output "b" { value = tfgold_thing.b.labels }
output "plain" { value = tfgold_thing.first_one.value }
output "hidden" {
  value     = tfgold_thing.first_one.value
  sensitive = true
}
`)
      expect(err).not.toContain('warning')
      const outputs: unknown = JSON.parse(await runConverted('stack', 'output', '--json'))
      expect(outputs).toEqual({ b: { from: 'arn::f-1' }, plain: 'x-7', hidden: '[secret]' })
      const { deployment } = JSON.parse(await runConverted('stack', 'export')) as ExportedStack
      const first = deployment.resources.find(({ urn }) => urn.endsWith('::first_one'))
      expect(first).toMatchObject({ protect: true, type: 'tfgold:index/thing:Thing' })
      expect(first?.outputs['token']).toHaveProperty('ciphertext')
      expect(await runConverted('preview', '--expect-no-changes')).toContain('unchanged')
    },
    slowMs,
  )

  // A call that does not name the provider would get a default one without configuration.
  test(
    'a data source uses the configuration of its provider',
    async () => {
      createObject(bench.root, 'x', { value: 'looked up' })
      await deploy(`
provider "tfgold" { endpoint = "e1" }
data "tfgold_lookup" "x" { name = "x" }
output "value" { value = data.tfgold_lookup.x.value }
`)
      const text = await runConverted('stack', 'output', '--json', '--show-secrets')
      expect(JSON.parse(text)).toEqual({ value: 'looked up' })
      const { deployment } = JSON.parse(await runConverted('stack', 'export')) as ExportedStack
      const providers = deployment.resources.filter(({ urn }) => urn.includes(':providers:tfgold:'))
      expect(providers.map(provider => provider.outputs['endpoint'])).toEqual(['e1'])
    },
    slowMs,
  )

  test(
    'a program in JSON with an override file has the merged values',
    async () => {
      const program = {
        variable: { size: { type: 'number', default: 7 } },
        resource: {
          tfgold_thing: {
            a: { name: 'a', value: 'v-${var.size}', labels: { x: 'y' }, size: '${var.size}' },
          },
        },
        output: { a: { value: '${tfgold_thing.a.value}' } },
      }
      writeFileSync(join(bench.root, 'shop.tf.json'), JSON.stringify(program))
      writeFileSync(
        join(bench.root, 'dev_override.tf'),
        'variable "size" { default = 8 }\nresource "tfgold_thing" "a" { labels = { x = "z" } }\n',
      )
      expect(await deploy('')).not.toContain('warning')
      const outputs: unknown = JSON.parse(await runConverted('stack', 'output', '--json'))
      expect(outputs).toEqual({ a: 'v-8' })
      expect(readCloud(join(bench.root, 'cloud/objects'))).toMatchObject({
        'a-1': { attrs: { value: 'v-8', labels: { x: 'z' }, size: 8 } },
      })
    },
    slowMs,
  )

  test(
    'the configuration of docs/terraform.md writes its file',
    async () => {
      const page = readFileSync(resolve(import.meta.dirname, '../../docs/terraform.md'), 'utf8')
      const [, program = ''] = /^```hcl main\.tf\n(.*?)^```$/ms.exec(page) ?? []
      placeProvider(bench.root, 'hashicorp/time/0.14.2', buildPublishedProviders('framework'))
      placeProvider(bench.root, 'hashicorp/local/1.4.0', buildPublishedProviders('sdk'))
      await deploy(program, '')
      const outputs: unknown = JSON.parse(await runConverted('stack', 'output', '--json'))
      expect(outputs).toEqual({ due: '2026-12-02T09:00:00Z' })
      const note = readFileSync(join(bench.root, 'yaml/note.txt'), 'utf8')
      expect(note).toBe('Due on 2026-12-02T09:00:00Z\n')
    },
    slowMs,
  )

  test(
    'functions of the language become functions of the package std',
    async () => {
      const std = join(import.meta.dirname, 'package-std.ts')
      const script = `#!/bin/sh\nexec '${process.execPath}' '${std}'\n`
      mkdirSync(join(bench.root, 'bin'))
      writeFileSync(join(bench.root, 'bin/pulumi-resource-std'), script, { mode: 0o755 })
      const path = [join(bench.root, 'bin'), bench.env['PATH']].join(delimiter)
      for (const name of ['PATH', 'ANTICHAIN_USER_PATH']) {
        bench.env[name] = path
        vi.stubEnv(name, path)
      }
      const err = await deploy(`
variable "label" { default = "web" }
output "name" { value = "n-\${upper(var.label)}" }
output "tags" { value = merge({ env = "dev" }, { app = var.label }) }
`)
      expect(err).not.toContain('has no equivalent')
      const outputs: unknown = JSON.parse(await runConverted('stack', 'output', '--json'))
      expect(outputs).toEqual({ name: 'n-WEB', tags: { env: 'dev', app: 'web' } })
    },
    slowMs,
  )

  test(
    'without the package std, functions of a converted program become configuration variables',
    async () => {
      const err = await deploy('output "a" { value = "x" }\n', '')
      expect(err).not.toContain('warning')
      const program = 'output "a" {\n  value = upper("a")\n}\n'
      writeFileSync(join(bench.root, 'main.tf'), program)
      const options = ['--language', 'yaml', '--out', 'yaml', '--name', 'shop', '--generate-only']
      const converted = await run('convert', '--from', 'terraform', ...options)
      expect(converted.err).toContain('Run `antichain plugin install resource std`, and convert')
      expect(converted.err).toContain("main.tf:2: the function 'upper' has no equivalent")
      const name = 'notImplemented_main_tf_2_11'
      const args = ['-C', join(bench.root, 'yaml')]
      const refused = await bench.run(...args, 'up', '--yes', '--skip-preview')
      expect(refused.exit).toBe(1)
      expect(refused.err).toContain(`missing required configuration variable '${name}'`)
      await runConverted('config', 'set', name, 'A')
      await runConverted('up', '--yes', '--skip-preview')
      expect(JSON.parse(await runConverted('stack', 'output', '--json'))).toEqual({ a: 'A' })
    },
    slowMs,
  )

  test('a syntax error names its place, and nothing is written', async () => {
    writeFileSync(join(bench.root, 'main.tf'), 'output "a" {\n  value = 1 2\n}\n')
    const args = ['convert', '--from', 'terraform', '--language', 'yaml', '--out', 'yaml']
    const { exit, err } = await bench.run(...args)
    expect(exit).toBe(1)
    expect(err).toContain("error[TERRAFORM_FILE_INVALID]: cannot read main.tf:2:13: '2' is not")
    expect(readdirSync(bench.root)).not.toContain('yaml')
  })
})

/** Places the provider into a mirror. Returns a settings file that names the mirror. */
function installProvider(root: string): string {
  placeProvider(root, 'example/tfgold/1.0.0', buildTestProvider())
  const settings = join(root, 'terraform.rc')
  const method = `filesystem_mirror { path = ${JSON.stringify(join(root, 'mirror'))} }`
  writeFileSync(settings, `provider_installation {\n  ${method}\n}\n`)
  return settings
}

/** Returns the objects of the cloud by their ids, in the form of the recorded results. */
function readCloud(folder: string): unknown {
  return Object.fromEntries(
    readdirSync(folder).map(file => {
      const { id, attrs, ...object } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
        readonly id: string
        readonly attrs: Readonly<Record<string, unknown>>
      }
      const set = Object.entries(attrs).filter(([, value]) => value !== null)
      return [id, { ...object, attrs: Object.fromEntries(set) }]
    }),
  )
}

/** Copies a provider into the mirror. `place`: namespace, type and version. */
function placeProvider(root: string, place: string, builtFolder: string): void {
  const { os, arch } = packagePlatformOf(process.platform, process.arch)
  const folder = join(root, 'mirror/registry.opentofu.org', place, `${os}_${arch}`)
  mkdirSync(folder, { recursive: true })
  const file = `terraform-provider-${place.split('/')[1]}`
  copyFileSync(join(builtFolder, file), join(folder, file))
}

/** Adds an object to the cloud that no stack has created. */
function createObject(root: string, name: string, attrs: object): void {
  const id = `${name}-1`
  const object = { type: 'tfgold_thing', id, name, rev: 1, attrs: { id, name, ...attrs } }
  writeFileSync(join(root, 'cloud/objects', `${id}.json`), JSON.stringify(object))
}
