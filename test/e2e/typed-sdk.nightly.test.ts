import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const sdkModules = join(import.meta.dirname, '../fixtures/sdk/node_modules')
const addArgs = ['package', 'add', 'terraform-provider', './terraform-provider-tfgold']

const program = `
import * as pulumi from '@pulumi/pulumi'
import * as tfgold from '@pulumi/tfgold'

const provider = new tfgold.Provider('p', { endpoint: 'e', retries: 2, zones: ['z'], limit: { rate: 1 } })
const thing = new tfgold.Thing('a', { name: 'a', value: 'v', secret: 'hidden-7f3a', labels: { k: 'v' } }, { provider })
const blocks = new tfgold.Blocks('b', {
  name: 'b',
  rules: [{ key: 'k', steps: [{ key: thing.arn }] }],
  limit: { rate: 3 },
})
const found = tfgold.Thing.get('c', thing.id, {}, { provider })
const looked = tfgold.getLookupOutput({ name: thing.name }, { parent: thing })
export const arn: pulumi.Output<string> = thing.arn
export const same = found.arn
export const gen = blocks.rules.apply(rules => rules?.[0]?.gen)
export const value: pulumi.Output<string> = looked.value
export const text: pulumi.Output<string> = tfgold.joinOutput('-', ['a', thing.name])
export const num: pulumi.Output<number> = tfgold.parseOutput('k:42').num
export const plain: Promise<boolean> = tfgold.check(1, 1)
export const secret = thing.secret
`

const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  noEmit: true,
  types: ['node'],
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
}

describeWithCommands('a typed SDK of a Terraform provider', [['go', 'version']], () => {
  let sandbox: Sandbox
  beforeAll(() => {
    sandbox = createSandbox(undefined, {
      sdk: false,
      files: {
        'Pulumi.yaml': '# Comments stay.\nname: typed\nruntime: nodejs\n',
        'package.json': '{\n    "name": "typed"\n}\n',
        'index.ts': program,
      },
    })
    const file = 'terraform-provider-tfgold'
    copyFileSync(join(buildTestProvider(), file), join(sandbox.program, file))
    linkModules()
  })
  afterAll(() => sandbox.remove())

  /** Links the packages and the folder of the SDK, as `npm install` does. */
  function linkModules(): void {
    const modules = join(sandbox.program, 'node_modules')
    mkdirSync(join(modules, '@pulumi'), { recursive: true })
    for (const name of readdirSync(sdkModules).filter(entry => entry !== '@pulumi'))
      symlinkSync(join(sdkModules, name), join(modules, name))
    symlinkSync(join(sdkModules, '@pulumi/pulumi'), join(modules, '@pulumi/pulumi'))
    symlinkSync('../../sdks/tfgold', join(modules, '@pulumi/tfgold'))
  }

  /** Checks the types of a program. Returns the messages of the compiler. */
  function checkTypes(text: string): string {
    writeFileSync(join(sandbox.program, 'checked.ts'), text)
    const config = { compilerOptions, files: ['checked.ts', 'sdks/tfgold/index.d.ts'] }
    writeFileSync(join(sandbox.program, 'checked.json'), JSON.stringify(config))
    const compiler = join(sdkModules, 'typescript/bin/tsc')
    const args = [compiler, '--project', 'checked.json']
    return spawnSync(process.execPath, args, { cwd: sandbox.program, encoding: 'utf8' }).stdout
  }

  const read = (path: string): string => readFileSync(join(sandbox.program, path), 'utf8')

  test('is added to the project', async () => {
    const { out, err } = requireSuccess(await sandbox.run(addArgs))
    expect([out, err]).toEqual([expect.stringContaining('npm install'), ''])
    expect(read('package.json')).toBe(
      '{\n    "name": "typed",\n    "dependencies": {\n        "@pulumi/tfgold": "file:sdks/tfgold"\n    }\n}\n',
    )
    expect(read('Pulumi.yaml')).toContain('# Comments stay.')
    expect(read('Pulumi.yaml')).toContain(
      'packages:\n  tfgold:\n    source: terraform-provider\n    version: 1.1.3\n    parameters:\n      - ./terraform-provider-tfgold\n',
    )
    expect(JSON.parse(read('sdks/tfgold/package.json'))).toMatchObject({
      name: '@pulumi/tfgold',
      version: '0.0.0',
      pulumi: { resource: true, name: 'terraform-provider', parameterization: { name: 'tfgold' } },
    })
  })

  test('is generated again in the same way', async () => {
    const files = ['sdks/tfgold/index.d.ts', 'package.json', 'Pulumi.yaml']
    const texts = files.map(read)
    requireSuccess(await sandbox.run(addArgs))
    expect(files.map(read)).toEqual(texts)
  })

  test('accepts correct programs only', () => {
    expect(checkTypes(program)).toBe('')
    const lines = [
      `import * as tfgold from '@pulumi/tfgold'`,
      `export const a = new tfgold.Thing('a', { value: 3 })`,
      `export const b = new tfgold.Keyed('b', {})`,
      `export const c = new tfgold.Thing('c', { serial: 1 })`,
      `export const d = new tfgold.Blocks('d', { policies: [{ note: 'n' }] })`,
    ]
    const messages = checkTypes(`${lines.join('\n')}\n`)
    const places = [...messages.matchAll(/^checked\.ts\((\d+),/gm)].map(([, line]) => line)
    expect(places).toEqual(['2', '3', '4', '5'])
  })

  test('creates resources, reads data and calls functions', async () => {
    const env = { TFGOLD_CLOUD: sandbox.cloud }
    requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
    const up = ['up', '--yes', '--skip-preview', '-s', 'dev']
    requireSuccess(await sandbox.run(up, { env }))
    const outputs = requireSuccess(
      await sandbox.run(['stack', 'output', '--json', '--show-secrets', '-s', 'dev']),
    )
    expect(JSON.parse(outputs.out)).toEqual({
      arn: 'arn:e:a-1',
      same: 'arn:e:a-1',
      gen: 'gen-k',
      value: 'v',
      text: 'a-a',
      num: 42,
      plain: expect.any(Boolean),
      secret: 'hidden-7f3a',
    })
    expect(await sandbox.exportState()).not.toContain('hidden-7f3a')
    requireSuccess(await sandbox.run([...up, '--expect-no-changes'], { env }))
  })

  test('deletes a resource before it creates the replacement, as Terraform does', async () => {
    const env = { TFGOLD_CLOUD: sandbox.cloud }
    writeFileSync(
      join(sandbox.program, 'index.ts'),
      program.replace("value: 'v'", "value: 'v', zone: 'z2'"),
    )
    const { out } = requireSuccess(
      await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev'], { env }),
    )
    const lines = out.split('\n').filter(line => line.includes('tfgold:Thing a '))
    expect(lines).toEqual([
      expect.stringContaining('deleted original'),
      expect.stringContaining('replaced'),
      expect.stringContaining('created replacement'),
    ])
  })

  test('is not generated for languages without a host, nor into a folder with files of the user', async () => {
    const refused = await sandbox.run([...addArgs, '--language', 'cobol'])
    expect(refused.err).toContain('pulumi-language-cobol is not installed')
    mkdirSync(join(sandbox.program, 'mine'))
    writeFileSync(join(sandbox.program, 'mine/own.ts'), '')
    const kept = await sandbox.run([...addArgs, '--out', 'mine'])
    expect(kept.err).toContain('error[CLI_USAGE]: the folder')
    expect(readdirSync(join(sandbox.program, 'mine'))).toEqual(['own.ts'])
  })
})
