/**
 * A program in Go in the local cloud. The client builds it for the functions, which have no Go. A
 * binary for another machine is refused.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packProgram } from '../../shared/programs/archive/program-archive.ts'
import { parseExport } from '../e2e/exported-state.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { secretText } from './stack-file.ts'

const fixture = resolve(import.meta.dirname, '../fixtures/programs/go')

describeWithCommands('programs in Go', [['go', 'version']], () => {
  describeWithServices('in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
    let bundles: CloudBundles
    let sandbox: CloudSandbox
    beforeAll(async () => {
      bundles = await createBundles()
      sandbox = await createCloudSandbox('languages', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        config: { 'languages:step': '1' },
        files: Object.fromEntries(
          readdirSync(fixture).map(name => [name, readFileSync(join(fixture, name), 'utf8')]),
        ),
      })
    }, 120_000)
    afterAll(async () => {
      await sandbox?.remove()
      bundles?.remove()
    }, 120_000)

    test('are built for the functions, and run there', async () => {
      const created = await sandbox.deploy('up', await sandbox.upload({}))
      expect(created.result, await sandbox.readDiagnostics(created.deployment)).toBe('succeeded')
      const text = await sandbox.exportState()
      expect(text).not.toContain(secretText)
      expect(parseExport(text).resources.map(({ id }) => id)).toContain('g-second-1')
      const destroyed = await sandbox.deploy('destroy', await sandbox.upload({}))
      expect(destroyed.result).toBe('succeeded')
    }, 600_000)

    test('with a binary for another machine are refused with the command that builds it', async () => {
      // The header of an ELF file for the machine 8, which is MIPS.
      const header = Buffer.concat([
        Buffer.from('7f454c46', 'hex'),
        Buffer.alloc(14),
        Buffer.of(8, 0),
      ])
      writeFileSync(join(sandbox.program, 'built'), header, { mode: 0o755 })
      const project = 'name: languages\nruntime: {name: go, options: {binary: ./built}}\n'
      writeFileSync(join(sandbox.program, 'Pulumi.yaml'), project)
      const message = /built for linux\/machine 8: build it with .*GOARCH=/
      await expect(sandbox.upload({})).rejects.toThrow(message)
      // The generator checks a program of a repository, which no client has packed.
      const { bytes } = await packProgram(sandbox.program)
      const end = await sandbox.deploy('up', await sandbox.control.platform.blobs.put(bytes))
      expect(end.result).toBe('failed')
      expect(await sandbox.readDiagnostics(end.deployment)).toMatch(message)
      expect(sandbox.listObjects()).toEqual([])
    }, 120_000)
  })
})
