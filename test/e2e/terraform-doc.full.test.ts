import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { packagePlatformOf } from '../../shared/providers/terraform/install/package-folders.ts'
import { buildPublishedProviders } from '../providers/terraform/build-providers.ts'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/terraform.md'), 'utf8')
const sdkModules = join(import.meta.dirname, '../fixtures/sdk/node_modules')
/** The modules of the providers may have to be downloaded and compiled first. */
const buildMs = 900_000
const testMs = 300_000

/** Returns the files of the page: the blocks of code that have a file name. */
function readFiles(): Readonly<Record<string, string>> {
  const blocks = page.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)
  return Object.fromEntries([...blocks].map(([, name = '', text = '']) => [name, text]))
}

/** Returns the commands of the page that add packages, as arguments. */
function readPackageCommands(): readonly (readonly string[])[] {
  const lines = page.matchAll(/^\$ antichain (package add .*)$/gm)
  return [...lines].map(([, args = '']) => args.split(' '))
}

describeWithCommands('docs/terraform.md', [['go', 'version']], () => {
  const { 'registered.js': registered = '', 'main.tf': _, ...files } = readFiles()
  /** Settings of the machine must not lead to another provider. */
  const env = { TF_CLI_CONFIG_FILE: '/dev/null' }
  const run = async (args: readonly string[]): Promise<string> =>
    requireSuccess(await sandbox.run(args, { env })).out
  const folders = { time: '', local: '' }
  let sandbox: Sandbox
  beforeAll(() => {
    folders.time = buildPublishedProviders('framework')
    folders.local = buildPublishedProviders('sdk')
  }, buildMs)
  beforeEach(async () => {
    sandbox = createSandbox(undefined, { files, sdk: false })
    installProvider('time')
    installProvider('local')
    linkModules()
    await initDevStack(sandbox)
  })
  afterEach(() => sandbox.remove())

  /** Places a provider into the folder of the program in which Terraform also looks. */
  function installProvider(type: keyof typeof folders): void {
    const [, version = ''] = new RegExp(`hashicorp/${type}", version = "(.*?)"`).exec(page) ?? []
    const { os, arch } = packagePlatformOf(process.platform, process.arch)
    const place = join('registry.opentofu.org/hashicorp', type, version, `${os}_${arch}`)
    const target = join(sandbox.program, 'terraform.d/plugins', place)
    mkdirSync(target, { recursive: true })
    const file = `terraform-provider-${type}`
    copyFileSync(join(folders[type], file), join(target, file))
  }

  /** Links the packages as `npm install` does. */
  function linkModules(): void {
    const modules = join(sandbox.program, 'node_modules')
    mkdirSync(join(modules, '@pulumi'), { recursive: true })
    for (const name of readdirSync(sdkModules).filter(entry => entry !== '@pulumi'))
      symlinkSync(join(sdkModules, name), join(modules, name))
    symlinkSync(join(sdkModules, '@pulumi/pulumi'), join(modules, '@pulumi/pulumi'))
    for (const type of Object.keys(folders))
      symlinkSync(`../../sdks/${type}`, join(modules, '@pulumi', type))
  }

  test(
    'its program creates, changes and deletes the file of its main.tf',
    async () => {
      const note = join(sandbox.program, 'note.txt')
      expect(readPackageCommands()).toHaveLength(2)
      for (const command of readPackageCommands()) await run(command)
      expect(await run(upArgs)).toContain('+ due: "2026-12-02T09:00:00Z"')
      expect(readFileSync(note, 'utf8')).toBe('Due on 2026-12-02T09:00:00Z\n')
      await run(['config', 'set', 'days', '8', '-s', 'dev'])
      const changed = await run([...upArgs, '--diff'])
      expect(changed).toContain('~ offsetDays: 7 => 8')
      expect(changed).toMatch(/ -- local:File note deleted original/)
      expect(readFileSync(note, 'utf8')).toBe('Due on 2026-12-03T09:00:00Z\n')
      await run(['destroy', '--yes', '--skip-preview', '-s', 'dev'])
      expect(existsSync(note)).toBe(false)
    },
    testMs,
  )

  test(
    'its program without a generated SDK creates the same resource',
    async () => {
      writeFileSync(join(sandbox.program, 'index.js'), registered)
      expect(await run(upArgs)).toContain('+ due: "2026-12-02T09:00:00Z"')
    },
    testMs,
  )
})
