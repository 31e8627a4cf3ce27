import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { packagePlatformOf } from '../../shared/providers/terraform/install/package-folders.ts'
import { buildPublishedProviders } from '../providers/terraform/build-providers.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const sdkModules = resolve(import.meta.dirname, '../fixtures/sdk/node_modules')
const example = resolve(import.meta.dirname, '../../examples/terraform-adoption')

/** Copies the provider of the example into a folder that Terraform also searches. */
function placeProvider(sandbox: Sandbox): void {
  const { os, arch } = packagePlatformOf(process.platform, process.arch)
  const place = join('registry.opentofu.org/hashicorp/time/0.14.2', `${os}_${arch}`)
  const folder = join(sandbox.program, 'terraform.d/plugins', place)
  mkdirSync(folder, { recursive: true })
  const file = 'terraform-provider-time'
  copyFileSync(join(buildPublishedProviders('framework'), file), join(folder, file))
}

/** Links the packages of the program as `npm install` does. */
function linkModules(sandbox: Sandbox): void {
  const modules = join(sandbox.program, 'node_modules')
  mkdirSync(join(modules, '@pulumi'), { recursive: true })
  for (const name of readdirSync(sdkModules).filter(entry => entry !== '@pulumi'))
    symlinkSync(join(sdkModules, name), join(modules, name))
  symlinkSync(join(sdkModules, '@pulumi/pulumi'), join(modules, '@pulumi/pulumi'))
  symlinkSync('../../sdks/time', join(modules, '@pulumi/time'))
}

describeWithCommands('examples/terraform-adoption', [['go', 'version']], () => {
  test('the program has no changes after the adoption, and deploys without the state of Terraform', async () => {
    const sandbox = createSandbox(undefined, { sdk: false })
    try {
      const isSource = (path: string): boolean => !path.includes('node_modules')
      cpSync(example, sandbox.program, { recursive: true, filter: isSource })
      placeProvider(sandbox)
      const env = { TF_CLI_CONFIG_FILE: '/dev/null' }
      const run = async (args: readonly string[]): Promise<string> =>
        requireSuccess(await sandbox.run(args, { env })).out
      linkModules(sandbox)
      await run(['package', 'add', 'terraform-provider', 'hashicorp/time', '0.14.2'])
      await initDevStack(sandbox)
      const report = await run(['import', '--from', 'terraform', '.', '--yes'])
      expect(report).toContain('time_offset.reminder[1]  urn:pulumi:dev::reminders::')
      await run(['preview', '-s', 'dev', '--expect-no-changes'])
      rmSync(join(sandbox.program, 'terraform.tfstate'))
      expect(await run(upArgs)).toContain('[1]: "2026-03-15T09:00:00Z"')
      await run(['destroy', '--yes', '--skip-preview', '-s', 'dev'])
      expect((await readStackState(sandbox)).resources).toEqual([])
    } finally {
      sandbox.remove()
    }
  })
})
