/**
 * Pulumi's own command line behind a faulty network and a gateway. It repeats some calls after an
 * error, and never repeats the others.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandOptions, type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { verifyExport } from '../verifier/verify.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import {
  type ReplyFault,
  type FaultyProxy,
  type ProxiedCall,
  startFaultyProxy,
} from './faulty-proxy.ts'
import { findWarnings, openStockClient, type StockClient } from './stock-client.ts'

const timeoutMs = 300_000
const thingCount = 8
const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
for (let n = 0; n < ${thingCount}; n++)
  new Thing('thing-' + n, { value: pulumi.secret('hush-' + n), step: process.env.STEP })
`
const startPath = /\/update\/[0-9a-f-]{36}$/
const up = 'up --yes --skip-preview'
const upWithoutChanges = `${up} --expect-no-changes`

/** Returns faults that lose the first reply to each of these calls. */
function loseFirstReplies(...names: readonly string[]): (call: ProxiedCall) => ReplyFault {
  const remaining = new Set(names)
  return ({ method, name }) => (remaining.delete(`${method} ${name}`) ? 'lose' : 'none')
}

describeWithCommands('a faulty network', [['go', 'version']], () => {
  let client: StockClient
  let proxy: FaultyProxy
  beforeAll(async () => {
    client = await openStockClient(buildPulumiCli(cliVersions[0]))
    proxy = await startFaultyProxy(client.url)
    writeFileSync(join(client.sandbox.program, 'index.js'), program)
  }, 900_000)
  afterAll(async () => {
    proxy?.close()
    await client?.remove()
  })

  const run = (command: string, env: CommandOptions['env'] = {}): Promise<CommandOutput> =>
    client.pulumi(command.split(' '), { PULUMI_BACKEND_URL: proxy.url, ...env })
  const runSuccessfully = async (command: string, env?: CommandOptions['env']): Promise<string> => {
    proxy.setFaults(() => 'none')
    return requireSuccess(await run(command, env)).out
  }
  /** Runs a command whose request has the fault. Expects it to fail. Returns the error. */
  const fail = async (
    command: string,
    faultOf: (call: ProxiedCall) => ReplyFault,
    env?: CommandOptions['env'],
  ): Promise<string> => {
    proxy.setFaults(faultOf)
    const { exit, out, err } = await run(command, env)
    expect([command, exit]).not.toEqual([command, 0])
    return out + err
  }

  test('loses replies to calls that the client repeats, and changes neither the objects nor the history', {
    timeout: timeoutMs,
  }, async () => {
    await runSuccessfully('stack init dev')
    const repeatedNames = ['PATCH journalentries', 'POST batch', 'POST complete', 'GET export']
    const loseFirst = loseFirstReplies(...repeatedNames)
    // A client must ignore a capability that it does not know.
    const future = { capability: 'future', version: 7, configuration: { parts: [1] } }
    const capabilities = { status: 200, json: { capabilities: [future] } }
    proxy.setFaults(call => {
      if (call.name === 'capabilities') return capabilities
      const fault = loseFirst(call)
      return fault === 'none' && call.name === 'journalentries' ? 'repeat' : fault
    })
    const deployed = requireSuccess(await run(up))
    expect(findWarnings(deployed)).toEqual([])
    for (const name of repeatedNames)
      expect(proxy.listCalls().filter(call => call === name).length).toBeGreaterThan(1)
    expect(client.sandbox.listObjects()).toHaveLength(thingCount)
    const history = JSON.parse(await runSuccessfully('stack history --json')) as object[]
    expect(history).toMatchObject([{ result: 'succeeded', resourceChanges: { create: 9 } }])
    const exported = await runSuccessfully('stack export')
    expect(verifyExport(exported, { sealed: true, hasServiceCiphertext: true })).toEqual([])
  })

  test('loses replies to calls that the client never repeats, and the next command continues', {
    timeout: timeoutMs,
  }, async () => {
    const lost = /EOF|connection reset/
    const createStack = 'stack init other'
    expect(await fail(createStack, loseFirstReplies('POST small'))).toMatch(lost)
    expect(await fail(createStack, () => 'none')).toContain('already exists')
    await runSuccessfully('stack select dev')
    // An update that was created and never started holds nothing.
    expect(await fail(up, loseFirstReplies('POST update'))).toMatch(lost)
    const isStart = ({ method, path }: ProxiedCall): boolean =>
      method === 'POST' && startPath.test(path)
    expect(await fail(up, call => (isStart(call) ? 'lose' : 'none'))).toMatch(lost)
    expect(await fail(up, () => 'none')).toMatch(/held by admin: pulumi up.*`pulumi cancel`/)
    await runSuccessfully('cancel --yes')
    const stateFile = 'state.json'
    await runSuccessfully(`stack export --file ${stateFile}`)
    const importState = `stack import --file ${stateFile}`
    expect(await fail(importState, loseFirstReplies('POST import'))).toMatch(lost)
    await runSuccessfully(importState)
    expect(await fail('stack rename prod', loseFirstReplies('POST rename'))).toMatch(lost)
    await runSuccessfully('stack select prod')
    await runSuccessfully(upWithoutChanges)
    const removal = 'stack rm --yes other'
    expect(await fail(removal, loseFirstReplies('DELETE other'))).toMatch(lost)
    expect(await fail(removal, () => 'none')).toContain("no stack named 'other' found")
    const kinds = JSON.parse(await runSuccessfully('stack history --json')) as object[]
    expect(kinds).toMatchObject([
      { kind: 'update', result: 'succeeded', resourceChanges: { same: 9 } },
      { kind: 'rename' },
      { kind: 'import' },
      { kind: 'import' },
      { kind: 'update', result: 'failed' },
      { kind: 'update', result: 'succeeded' },
    ])
  })

  test('has a limit for bodies: the client splits a batch only if the service refuses it', {
    timeout: timeoutMs,
  }, async () => {
    const refusal = { status: 413, json: { code: 413, message: 'too large' } }
    // The reply of Lambda has no code in its body, so clients do not recognize it.
    const lambdaRefusal = { status: 413, json: { Message: 'Request Entity Too Large' } }
    const longBatches = { PULUMI_JOURNALING_BATCH_PERIOD: '500' }
    const refuseBatches = (reply: ReplyFault, sizes: number[]) => (call: ProxiedCall) => {
      if (call.name !== 'journalentries') return 'none'
      const { entries } = call.readJson() as { readonly entries: readonly object[] }
      sizes.push(entries.length)
      return entries.length > 1 ? reply : 'none'
    }
    const sizes: number[] = []
    proxy.setFaults(refuseBatches(refusal, sizes))
    requireSuccess(await run(up, { ...longBatches, STEP: '2' }))
    expect(Math.max(...sizes)).toBeGreaterThan(1)
    const changed = { ...longBatches, STEP: '3' }
    const failure = await fail(up, refuseBatches(lambdaRefusal, []), changed)
    expect(failure).toContain('Request Entity Too Large')
    const exported = await runSuccessfully('stack export')
    expect(verifyExport(exported, { sealed: true, hasServiceCiphertext: true })).toEqual([])
    // Batches of one entry are the way out.
    proxy.setFaults(refuseBatches(lambdaRefusal, []))
    requireSuccess(await run(up, { STEP: '3', PULUMI_JOURNALING_BATCH_SIZE: '1' }))
  })
})
