import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../infra/assets.ts'

const folder = mkdtempSync(join(tmpdir(), 'synth-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the CDK as `npm run synth` does, without credentials, home folder or network. */
function synth(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cdk = join(projectRoot, 'node_modules', 'aws-cdk', 'bin', 'cdk')
  return spawnSync(
    process.execPath,
    [cdk, 'synth', '--quiet', '--output', join(folder, 'out'), ...args],
    {
      cwd: projectRoot,
      encoding: 'utf8',
      env: {
        HOME: folder,
        PATH: dirname(process.execPath),
        ANTICHAIN_ASSETS: 'existing',
        AWS_EC2_METADATA_DISABLED: 'true',
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        // A network request would be refused.
        HTTP_PROXY: 'http://127.0.0.1:9',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        ...env,
      },
    },
  )
}

describe('synthesis', () => {
  test('works without a network, an account or an image builder', () => {
    const { status, stderr } = synth(['-c', 'antichain:region=eu-central-1'])
    expect(stderr).not.toMatch(/credential|docker|error/i)
    expect(status).toBe(0)
    const manifest = readFileSync(join(folder, 'out', 'manifest.json'), 'utf8')
    expect(Object.keys((JSON.parse(manifest) as { artifacts: object }).artifacts)).toEqual(
      expect.arrayContaining(['antichain', 'antichain-data']),
    )
    expect(manifest).not.toContain('"missing"')
    expect(stderr).not.toContain('its function is empty in this template')
  })

  test('names a wrong setting, with a hint', () => {
    const { status, stderr } = synth([
      '-c',
      'antichain:region=nowhere',
      '-c',
      'antichain:colour=red',
    ])
    expect(status).not.toBe(0)
    expect(stderr).toContain('error[PLATFORM_SETTING_INVALID]')
    expect(stderr).toContain('antichain:region: a region such as eu-central-1')
    expect(stderr).toContain('colour')
    expect(stderr).toContain('docs/aws.md')
  })
})
