/**
 * A program in Python in the local cloud. The installer installs its requirements, and the generator
 * runs it in their environment.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseExport } from '../e2e/exported-state.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { downloadWheels, pythonSdk as sdk } from './python-wheels.ts'
import { secretText } from './stack-file.ts'

const program = `import os
import pulumi
from settings import VALUE


class Thing(pulumi.CustomResource):
    def __init__(self, name, props, opts=None):
        super().__init__("gold:index:Thing", name, props, opts)


password = pulumi.Config().require_secret("password")
first = Thing("first", {"value": VALUE, "password": password})
Thing("second", {"from": first.id})
pulumi.export("where", "VIRTUAL_ENV" in os.environ)
`

describeWithServices('programs in Python', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  beforeAll(async () => {
    bundles = await createBundles()
    sandbox = await createCloudSandbox('small', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      settings: { 'antichain:inlineMax': '8' },
      variables: { PIP_NO_INDEX: '1', PIP_FIND_LINKS: downloadWheels() },
      files: {
        'Pulumi.yaml': 'name: small\nruntime:\n  name: python\n  options: {virtualenv: venv}\n',
        '__main__.py': program,
        'settings.py': 'VALUE = 1\n',
        'requirements.txt': `${sdk}\n`,
      },
    })
    // The environment of the client's machine does not run elsewhere, and is not uploaded.
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(sandbox.program, 'venv')])
  }, 120_000)
  afterAll(async () => {
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  const countInstalls = (): number =>
    sandbox.calls.filter(({ name }) => name === 'installer').length

  test('are installed once for the same requirements, and run in their environment', async () => {
    const first = await sandbox.deploy('up', await sandbox.upload({}))
    expect(first.result, await sandbox.readDiagnostics(first.deployment)).toBe('succeeded')
    const text = await sandbox.exportState()
    expect(text).not.toContain(secretText)
    expect(parseExport(text).resources.map(({ id }) => id)).toContain('second-1')
    // A registry that refuses a package ends the request with the last lines of pip.
    writeFileSync(join(sandbox.program, 'requirements.txt'), `${sdk}\nno-such-package==1.0\n`)
    await expect(sandbox.deploy('up', await sandbox.upload({}))).rejects.toThrow(
      /INSTALL_FAILED.*pip.*no-such-package/,
    )
    // A program with the first requirements gets the packages of the first installation.
    writeFileSync(join(sandbox.program, 'requirements.txt'), `${sdk}\n`)
    writeFileSync(join(sandbox.program, 'settings.py'), 'VALUE = 2\n')
    // Two nudges may have started two installations of the refused request.
    await vi.waitFor(() => {
      const environments = sandbox.cloud.listEnvironments('installer')
      expect(environments.filter(environment => environment.isBusy())).toEqual([])
    }, 30_000)
    const installCount = countInstalls()
    const destroyed = await sandbox.deploy('destroy', await sandbox.upload({}))
    expect(destroyed.result).toBe('succeeded')
    expect(sandbox.listObjects()).toEqual([])
    expect(countInstalls()).toBe(installCount)
  }, 240_000)
})
