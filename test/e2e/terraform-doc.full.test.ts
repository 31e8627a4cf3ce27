import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packagePlatformOf } from '../../shared/providers/terraform/install/package-folders.ts'
import { buildPublishedProviders } from '../providers/terraform/build-providers.ts'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const page = join(import.meta.dirname, '../../docs/terraform.md')
const codeBlock = /^```\w+ (\S+)\n(.*?)^```$/gms

/** Returns the files of the page: the blocks of code that have a file name. */
function readFiles(): Readonly<Record<string, string>> {
  const blocks = readFileSync(page, 'utf8').matchAll(codeBlock)
  return Object.fromEntries([...blocks].map(([, name = '', text = '']) => [name, text]))
}

/** Places a provider into the folder of the program in which Terraform also looks. */
function installProvider(sandbox: Sandbox, type: string, version: string, folder: string): void {
  const { os, arch } = packagePlatformOf(process.platform, process.arch)
  const place = join('registry.opentofu.org/hashicorp', type, version, `${os}_${arch}`)
  const target = join(sandbox.program, 'terraform.d/plugins', place)
  mkdirSync(target, { recursive: true })
  const file = `terraform-provider-${type}`
  copyFileSync(join(folder, file), join(target, file))
}

describeWithCommands('docs/terraform.md', [['go', 'version']], () => {
  test('its program creates, changes and deletes the file of its main.tf', async () => {
    const { 'main.tf': configuration, ...files } = readFiles()
    expect(Object.keys(files)).toEqual(['Pulumi.yaml', 'package.json', 'packages.js', 'index.js'])
    const sandbox = createSandbox(undefined, { files })
    try {
      for (const [module, type] of [
        ['framework', 'time'],
        ['sdk', 'local'],
      ] as const) {
        const version = new RegExp(`hashicorp/${type}", version = "(.*?)"`).exec(
          configuration ?? '',
        )
        installProvider(sandbox, type, version?.[1] ?? '', buildPublishedProviders(module))
      }
      const env = { TF_CLI_CONFIG_FILE: '/dev/null' }
      const note = join(sandbox.program, 'note.txt')
      await initDevStack(sandbox)
      const created = requireSuccess(await sandbox.run(upArgs, { env }))
      expect(created.out).toContain('+ due: "2026-12-02T09:00:00Z"')
      expect(readFileSync(note, 'utf8')).toBe('Due on 2026-12-02T09:00:00Z\n')
      requireSuccess(await sandbox.run(['config', 'set', 'days', '8', '-s', 'dev']))
      const changed = requireSuccess(await sandbox.run([...upArgs, '--diff'], { env }))
      expect(changed.out).toContain('~ offsetDays: 7 => 8')
      expect(changed.out).toMatch(/ -- local:index\/file:File note deleted original/)
      expect(readFileSync(note, 'utf8')).toBe('Due on 2026-12-03T09:00:00Z\n')
      const destroy = ['destroy', '--yes', '--skip-preview', '-s', 'dev']
      requireSuccess(await sandbox.run(destroy, { env }))
      expect(existsSync(note)).toBe(false)
    } finally {
      sandbox.remove()
    }
  }, 1_200_000)
})
