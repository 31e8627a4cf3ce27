import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const requirements = join(import.meta.dirname, '../fixtures/programs/python/requirements.txt')
const fixtures = join(import.meta.dirname, '../fixtures/sdk')
const addArgs = ['package', 'add', 'terraform-provider', './terraform-provider-tfgold']
/** Installers may have to download packages first. */
const slowMs = 900_000

const program = `
import pulumi
import pulumi_tfgold as tfgold

provider = tfgold.Provider("p", endpoint="e", retries=2, zones=["z"], limit={"rate": 1})
options = pulumi.ResourceOptions(provider=provider)
thing = tfgold.Thing("a", name="a", value="v", secret="hidden-7f3a", labels={"k": "v"}, opts=options)
step = tfgold.BlocksRuleStepArgs(key=thing.arn)
blocks = tfgold.Blocks("b", tfgold.BlocksArgs(
    name="b",
    rules=[tfgold.BlocksRuleArgs(key="k", steps=[step])],
    limit={"rate": 3},
))
found = tfgold.Thing.get("c", thing.id, opts=options)
looked = tfgold.get_lookup_output(name=thing.name, opts=pulumi.InvokeOptions(parent=thing))
pulumi.export("arn", thing.arn)
pulumi.export("same", found.arn)
pulumi.export("gen", blocks.rules.apply(lambda rules: rules[0].gen))
pulumi.export("step", blocks.rules[0].steps[0].key)
pulumi.export("value", looked.value)
pulumi.export("text", tfgold.join_output("-", ["a", thing.name]))
pulumi.export("num", tfgold.parse_output("k:42").num)
pulumi.export("plain", tfgold.parse("k:43").num)
pulumi.export("secret", thing.secret)
`

describeWithCommands(
  'a Python SDK of a Terraform provider',
  [
    ['go', 'version'],
    ['python3', '-m', 'venv', '--help'],
  ],
  () => {
    let sandbox: Sandbox
    beforeAll(() => {
      sandbox = createSandbox(undefined, {
        sdk: false,
        files: {
          'Pulumi.yaml': 'name: typed\nruntime: {name: python, options: {virtualenv: venv}}\n',
          'requirements.txt': `# Comments stay.\n${readFileSync(requirements, 'utf8')}`,
          '__main__.py': program,
        },
      })
      const file = 'terraform-provider-tfgold'
      copyFileSync(join(buildTestProvider(), file), join(sandbox.program, file))
      createEnvironmentOfProject()
    }, slowMs)
    afterAll(() => sandbox.remove())

    /** Creates the environment of the project, which has the packages of the shared one. */
    function createEnvironmentOfProject(): void {
      const sharedPackages = findPackagesFolder(createVirtualEnvironment(requirements))
      execFileSync('python3', ['-m', 'venv', 'venv'], { cwd: sandbox.program })
      const packages = findPackagesFolder(join(sandbox.program, 'venv'))
      writeFileSync(join(packages, 'shared.pth'), `${sharedPackages}\n`)
    }

    function findPackagesFolder(environment: string): string {
      const [version = ''] = readdirSync(join(environment, 'lib'))
      return join(environment, 'lib', version, 'site-packages')
    }

    const read = (path: string): string => readFileSync(join(sandbox.program, path), 'utf8')

    test('is added to the requirements of the project, and only once', async () => {
      const { out, err } = requireSuccess(await sandbox.run(addArgs))
      expect(err).toBe('')
      expect(out).toContain('Added ./sdks/tfgold to requirements.txt.')
      expect(out).toContain('venv/bin/pip install -r requirements.txt')
      expect(out).toContain('import pulumi_tfgold as tfgold')
      const lines = `# Comments stay.\n${readFileSync(requirements, 'utf8')}./sdks/tfgold\n`
      expect(read('requirements.txt')).toBe(lines)
      expect(read('Pulumi.yaml')).toContain('source: terraform-provider')
      const texts = ['sdks/tfgold/pulumi_tfgold/thing.py', 'Pulumi.yaml'].map(read)
      requireSuccess(await sandbox.run(addArgs))
      expect(read('requirements.txt')).toBe(lines)
      expect(['sdks/tfgold/pulumi_tfgold/thing.py', 'Pulumi.yaml'].map(read)).toEqual(texts)
    })

    test(
      'creates resources with nested objects, reads data and keeps secrets',
      async () => {
        const pip = join(sandbox.program, 'venv/bin/pip')
        execFileSync(pip, ['install', '--quiet', '-r', 'requirements.txt'], {
          cwd: sandbox.program,
        })
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
          step: 'arn:e:a-1',
          value: 'v',
          text: 'a-a',
          num: 42,
          plain: 43,
          secret: 'hidden-7f3a',
        })
        expect(await sandbox.exportState()).not.toContain('hidden-7f3a')
        requireSuccess(await sandbox.run([...up, '--expect-no-changes'], { env }))
      },
      slowMs,
    )

    test('has enumerations and defaults, and takes arguments as keywords, objects and dictionaries', async () => {
      const args = ['package', 'gen-sdk', join(fixtures, 'shop-schema.json')]
      requireSuccess(await sandbox.run([...args, '--language', 'python', '--out', 'out']))
      const python = join(sandbox.program, 'venv/bin/python')
      const env = { ...process.env, PYTHONPATH: join(sandbox.program, 'out/python') }
      const program = join(fixtures, 'python-arguments.py')
      const secretMark = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' }
      const shelf = { kind: 'shelf', token: { ...secretMark, value: 't' }, from: 'f', size: 'm' }
      expect(JSON.parse(execFileSync(python, [program], { env, encoding: 'utf8' }))).toEqual({
        inputs: {
          provider: { limits: '{"a": 1}' },
          keywords: { ...shelf, items: [{ itemName: 'a' }, { itemName: 'b', count: 3 }] },
          object: { kind: 'shelf', token: { ...secretMark, value: 'keywords-id' } },
          positions: { ...shelf, items: [] },
        },
        problems: [
          "Missing required property 'token'",
          "shop:index:Shelf got an unexpected argument 'nothing'",
          'Expected resource options to be a ResourceOptions instance',
        ],
        found: ['first', 4],
        item: ['Item', 'x', 5],
        hasMember: true,
        isSecret: true,
      })
    })

    test('deletes a resource before it creates the replacement, as Terraform does', async () => {
      const env = { TFGOLD_CLOUD: sandbox.cloud }
      const file = join(sandbox.program, '__main__.py')
      writeFileSync(file, program.replace('value="v"', 'value="v", zone="z2"'))
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
  },
)
