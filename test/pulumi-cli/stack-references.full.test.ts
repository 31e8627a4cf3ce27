/**
 * Programs that `antichain` runs read stacks that `pulumi` deployed to a self-managed backend, and
 * the reverse.
 */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommandOutput, createSandbox, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { createBackendAddress, legacyLayoutEnv } from './create-backend-address.ts'
import { stockVariablesOf } from './stock-variables.ts'

const timeoutMs = 600_000
const files = {
  'writer/Pulumi.yaml': 'name: writer\nruntime: nodejs\n',
  'writer/index.js': `
    const pulumi = require('@pulumi/pulumi')
    exports.zone = 'north'
    exports.key = pulumi.secret('hush')
  `,
  'reader/Pulumi.yaml': 'name: reader\nruntime: nodejs\n',
  'reader/index.js': `
    const pulumi = require('@pulumi/pulumi')
    const writer = new pulumi.StackReference(process.env.WRITER)
    exports.zone = writer.getOutput('zone')
    exports.key = writer.getOutput('key')
  `,
}

describeWithCommands('stack references of both command lines', [['go', 'version']], () => {
  let cli = ''
  beforeAll(() => {
    cli = buildPulumiCli(cliVersions[0])
  }, timeoutMs)

  // The legacy layout has no projects, so a stack reference has only the name of the stack.
  describe.each([
    ['project', 'organization/writer/source', {}],
    ['legacy', 'source', legacyLayoutEnv],
  ] as const)('a backend with the %s layout', (_layout, writer, layoutEnv) => {
    const sandbox = createSandbox(undefined, { files })
    afterAll(() => sandbox.remove())
    const modules = join(sandbox.program, 'node_modules')
    for (const folder of ['writer', 'reader'])
      symlinkSync(modules, join(sandbox.program, folder, 'node_modules'))

    const createEnv = async (name: string): Promise<Record<string, string | undefined>> => {
      const { address } = await createBackendAddress('file', `${sandbox.home}-${name}`)
      return {
        ...layoutEnv,
        ...stockVariablesOf(sandbox),
        PULUMI_BACKEND_URL: address,
        WRITER: writer,
        PULUMI_HOME: join(sandbox.home, '../pulumi-home'),
      }
    }
    const deploy = async (
      command: string | undefined,
      [folder, stack]: readonly [folder: string, stack: string],
      env: Record<string, string | undefined>,
    ): Promise<unknown> => {
      const run = async (...args: readonly string[]): Promise<CommandOutput> =>
        requireSuccess(
          await sandbox.run([...args, '-s', stack, '--cwd', join(sandbox.program, folder)], {
            env,
            ...(command === undefined ? {} : { command }),
          }),
        )
      await run('stack', 'init', '--non-interactive')
      await run('up', '--yes', '--skip-preview', '--non-interactive')
      return JSON.parse((await run('stack', 'output', '--json', '--show-secrets')).out)
    }

    test.each([
      ['pulumi', 'antichain'],
      ['antichain', 'pulumi'],
    ])(
      'a stack that %s deployed gives its outputs and secrets to a program that %s runs',
      async (writerCommand, readerCommand) => {
        const commandOf = (name: string): string | undefined =>
          name === 'pulumi' ? cli : undefined
        const env = await createEnv(writerCommand)
        const outputs = { key: 'hush', zone: 'north' }
        expect(await deploy(commandOf(writerCommand), ['writer', 'source'], env)).toEqual(outputs)
        expect(await deploy(commandOf(readerCommand), ['reader', 'target'], env)).toEqual(outputs)
      },
      timeoutMs,
    )
  })
})
