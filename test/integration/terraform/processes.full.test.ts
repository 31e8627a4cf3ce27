import { spawn } from 'node:child_process'
import { closeSync, copyFileSync, existsSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSelfSignedCertificate } from '../../../shared/providers/terraform/client/self-signed-certificate.ts'
import { createProviderEnvironment } from '../../../shared/providers/terraform/client/provider-environment.ts'
import type { TerraformClient } from '../../../shared/providers/terraform/client/terraform-client.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { encodeObject, encodeTestValue, nullValue } from './encode-test-value.ts'
import { createTerraformRig, type TerraformRig } from './terraform-rig.ts'

/** Applies the creation of a thing, with its configuration as the planned state. */
async function applyThing(client: TerraformClient, name: string) {
  const thing = (await client.getProviderSchema()).resources.get('tfgold_thing')
  const config = encodeObject(thing ?? fail('no schema'), { name })
  const states = { priorState: nullValue, plannedState: config, config }
  const plannedPrivate = Buffer.from('{"chain":"p"}')
  return client.applyResourceChange({ typeName: 'tfgold_thing', ...states, plannedPrivate })
}

function fail(reason: string): never {
  throw new Error(reason)
}

describeWithCommands('the process of a Terraform provider', [['go', 'version']], () => {
  let rig: TerraformRig
  beforeEach(() => {
    rig = createTerraformRig()
  })
  afterEach(() => rig.close())

  /** Starts the provider after some commands of a shell, in the same process. */
  const startAfter = (commands: string, options: Parameters<TerraformRig['start']>[1] = {}) =>
    rig.start(rig.writeScript(`${commands}\nexec ${rig.pathOf('tfgold')}`), options)

  describe('that starts', () => {
    test('ends on close, and its socket is removed', async () => {
      const provider = await rig.start(rig.pathOf('tfgold'))
      expect(rig.listPids()).toHaveLength(1)
      expect(rig.listSockets()).toHaveLength(1)
      const before = performance.now()
      await Promise.all([provider.close(), provider.close()])
      expect(performance.now() - before).toBeLessThan(2_000)
      expect(provider.hasEnded()).toBe(true)
      expect(rig.listPids()).toEqual([])
      expect(rig.listSockets()).toEqual([])
      expect(rig.messages.filter(({ severity }) => severity === 'error')).toEqual([])
    })

    test('is killed if it ignores Shutdown, and its socket is removed', async () => {
      const provider = await rig.start(rig.pathOf('tfgold'))
      const [pid = 0] = rig.listPids()
      process.kill(pid, 'SIGSTOP')
      await provider.close()
      expect(rig.listPids()).toEqual([])
      expect(rig.listSockets()).toEqual([])
    })

    test('answers without TLS if the user disables TLS', async () => {
      const provider = await rig.start(rig.pathOf('tfgold'), {
        env: { TF_DISABLE_PLUGIN_TLS: '1' },
      })
      expect((await provider.client.getProviderSchema()).diagnostics).toEqual([])
    })

    test('is started again while its file is busy', async () => {
      const path = rig.writeScript('')
      copyFileSync(rig.pathOf('tfgold'), path)
      const writer = openSync(path, 'r+')
      const pending = rig.start(path)
      await expect
        .poll(() => rig.messages.map(({ text }) => text))
        .toContainEqual(expect.stringContaining('it is started again'))
      closeSync(writer)
      expect((await pending).client.protocol).toBe(6)
    })

    test('answers calls while stdout and stderr are flooded', async () => {
      // A line has 8 bytes, so each stream gets 100,000 lines. They come after the handshake.
      const flood = '(sleep 0.2; yes flooded | head -c 800000; yes flooded | head -c 800000 >&2) &'
      const { client } = await startAfter(flood)
      await expect.poll(() => rig.messages.length, { timeout: 20_000 }).toBeGreaterThan(100)
      expect((await client.getProviderSchema()).diagnostics).toEqual([])
      await expect
        .poll(() => rig.messages.filter(({ text }) => text === 'flooded').length, {
          timeout: 30_000,
        })
        .toBe(200_000)
    })

    test('has its secrets redacted in log lines', async () => {
      const log = `echo '{"@level":"warn","@message":"token hunter2","@module":"sdk","key":"hunter2"}' >&2`
      await startAfter(log, { redact: text => text.replaceAll('hunter2', '[secret]') })
      await expect
        .poll(() => rig.messages.map(({ text }) => text))
        .toContain('[WARN] sdk: token [secret] key=[secret]')
      expect(JSON.stringify(rig.messages)).not.toContain('hunter2')
    })
  })

  describe('that does not start causes one clear error', () => {
    test.each([
      [
        'a wrong cookie',
        'export TF_PLUGIN_MAGIC_COOKIE=x',
        'PLUGIN_FAILED',
        /does not accept the magic cookie[^]*This binary is a plugin/,
      ],
      [
        'a crash before the handshake',
        'echo no licence >&2; exit 3',
        'PLUGIN_FAILED',
        /before it printed its handshake: exit code 3[^]*no licence/,
      ],
      [
        'other text instead of the handshake',
        'echo starting',
        'PLUGIN_HANDSHAKE',
        /printed 'starting' where its handshake was expected/,
      ],
      [
        'an unknown protocol',
        'echo "1|4|unix|/x|grpc|"; sleep 60',
        'PLUGIN_HANDSHAKE',
        /speaks protocol 4 of Terraform providers, not 5 or 6/,
      ],
      [
        'an unencrypted connection',
        'unset PLUGIN_CLIENT_CERT',
        'PLUGIN_HANDSHAKE',
        /does not encrypt its connection/,
      ],
    ])('with %s', async (_, commands, code, message) => {
      await expect(startAfter(commands)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      })
      expect(rig.listPids()).toEqual([])
    })

    test('with a handshake that is late', async () => {
      const late = startAfter('sleep 60', { handshakeTimeoutMs: 50 })
      await expect(late).rejects.toThrow('did not print its handshake within 0.05 s')
    })

    test('with an end after its handshake', async () => {
      const script = 'echo "1|6|unix|/nowhere|grpc|"; echo gone >&2; exit 4'
      const ended = startAfter(script, { env: { TF_DISABLE_PLUGIN_TLS: '1' } })
      await expect(ended).rejects.toMatchObject({
        code: 'PLUGIN_FAILED',
        message: expect.stringMatching(/does not respond: [^]*; its last lines:\n {2}gone$/),
      })
    })

    test('with another certificate of the client', async () => {
      const { certificate } = createSelfSignedCertificate(Date.now())
      const mismatch = startAfter('export PLUGIN_CLIENT_CERT="$OTHER"', {
        env: { OTHER: certificate },
      })
      await expect(mismatch).rejects.toMatchObject({
        code: 'PLUGIN_FAILED',
        message: expect.stringContaining('use other TLS certificates'),
      })
    })

    test('when the user cancels', async () => {
      const abort = new AbortController()
      const pending = startAfter('sleep 60', { abortSignal: abort.signal })
      await expect.poll(() => rig.listPids()).toHaveLength(1)
      abort.abort()
      await expect(pending).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
    })
  })

  describe('that ends during a call', () => {
    test('makes the effect of an apply unknown', async () => {
      rig.setFaults({ 'crash:create:a': 1 })
      const provider = await rig.start(rig.pathOf('tfgold'))
      await expect(applyThing(provider.client, 'a')).rejects.toMatchObject({
        status: 'lost',
        isRequestUnsent: false,
        message: "provider 'tfgold' ended with exit code 3 during ApplyResourceChange",
      })
      expect(provider.hasEnded()).toBe(true)
      await expect(provider.client.getProviderSchema()).rejects.toMatchObject({
        status: 'ok',
        isRequestUnsent: true,
      })
    })

    test('reports the text of its panic', async () => {
      const { client } = await rig.start(rig.pathOf('tfgold'))
      const request = { typeName: 'tfgold_thing', config: encodeTestValue('no object') }
      await expect(client.validateResourceConfig(request)).rejects.toThrow(
        /ended with exit code 2 during ValidateResourceConfig; its last lines:\n {2}panic: /,
      )
      const reported = rig.messages.filter(({ severity }) => severity === 'error')
      expect(reported.map(({ text }) => text)).toEqual([expect.stringContaining('panic: ')])
    })
  })

  test('that the user runs is reattached, and close leaves it running', async () => {
    const env = createProviderEnvironment(
      { PATH: process.env['PATH'] ?? '', TMPDIR: process.env['TMPDIR'] ?? '/tmp' },
      undefined,
    )
    const child = spawn(rig.pathOf('tfgold'), { env, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const [, , , address = ''] = await new Promise<string[]>(resolve =>
        createInterface(child.stdout).once('line', line => resolve(line.split('|'))),
      )
      const addr = { Network: 'unix', String: address }
      const entry = { Protocol: 'grpc', ProtocolVersion: 6, Pid: child.pid, Test: true, Addr: addr }
      const variable = JSON.stringify({ 'registry.terraform.io/golden/tfgold': entry })
      const options = { env: { TF_REATTACH_PROVIDERS: variable } }
      const provider = await rig.start('/nowhere', options)
      expect((await provider.client.getProviderSchema()).diagnostics).toEqual([])
      await provider.close()
      expect(child.exitCode).toBeNull()
      expect(existsSync(address)).toBe(true)
      expect(rig.listPids()).toEqual([])
    } finally {
      child.kill('SIGKILL')
    }
  })
})
