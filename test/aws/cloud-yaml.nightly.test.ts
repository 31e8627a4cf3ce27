/**
 * A program in YAML in the local cloud. The image has no host for it, so Pulumi's own host is
 * uploaded as a plugin.
 */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExport } from '../e2e/exported-state.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { installYamlPlugins } from '../e2e/yaml-plugins.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { secretText } from './stack-file.ts'

const project = `name: notes
runtime: yaml
config:
  password:
    type: string
    secret: true
resources:
  first:
    type: gold:index:Thing
    properties:
      value: \${password}
  second:
    type: gold:index:Thing
    properties:
      value: \${first.value} again
outputs:
  id: \${second.id}
`
const key = {
  kind: 'language',
  name: 'yaml',
  version: '1.25.0',
  os: process.platform,
  arch: process.arch,
} as const

describeWithCommands('programs in YAML', [['go', 'version']], () => {
  describeWithServices('in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
    let bundles: CloudBundles
    let sandbox: CloudSandbox
    beforeAll(async () => {
      bundles = await createBundles()
      sandbox = await createCloudSandbox('notes', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        files: { 'Pulumi.yaml': project },
      })
      const args = ['-czf', '-', '-C', installYamlPlugins(), 'pulumi-language-yaml']
      const archive = execFileSync('tar', args, { maxBuffer: 200_000_000 })
      await sandbox.control.platform.plugins.put(key, archive)
    }, 900_000)
    afterAll(async () => {
      await sandbox?.remove()
      bundles?.remove()
    }, 120_000)

    test('run with an uploaded language host', async () => {
      const created = await sandbox.deploy('up', await sandbox.upload({}))
      expect(created.result, await sandbox.readDiagnostics(created.deployment)).toBe('succeeded')
      const text = await sandbox.exportState()
      expect(text).not.toContain(secretText)
      const names = parseExport(text).resources.map(({ urn }) => urn.split('::').at(-1))
      expect(names).toEqual(expect.arrayContaining(['first', 'second']))
      expect(sandbox.listObjects()).toHaveLength(2)
      const destroyed = await sandbox.deploy('destroy', await sandbox.upload({}))
      expect(destroyed.result).toBe('succeeded')
      expect(sandbox.listObjects()).toEqual([])
    }, 600_000)
  })
})
