import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import { programlessOperations, serverCommands, stateCommands, tagCommands } from './commands.ts'
import {
  compareCommands,
  type ComparedSides,
  expectSameResources,
  openComparedSides,
  putObject,
  readGraphNames,
} from './compare-commands.ts'

const timeoutMs = 600_000

describeWithCommands("commands of Pulumi's command line", [['go', 'version']], () => {
  let sides: ComparedSides
  beforeAll(async () => {
    sides = await openComparedSides(cliVersions[0])
  }, 900_000)
  afterAll(() => sides?.remove())

  test('commands for state and configuration have the same output on a server as in a folder', {
    timeout: timeoutMs,
  }, async () => {
    await compareCommands(sides, [...tagCommands, ...stateCommands], true)
    await expectSameResources(sides)
    const [ours, theirs] = readGraphNames(sides)
    expect(ours).toEqual(theirs)
  })

  test('a targeted destroy and an import leave the same resources on a server as in a folder', {
    timeout: timeoutMs,
  }, async () => {
    for (const { sandbox } of [sides.server, sides.folder])
      putObject(sandbox, 'found-1', { value: 'x' })
    await compareCommands(sides, programlessOperations, true)
    await expectSameResources(sides)
  })

  test('the server answers commands that a folder lacks', { timeout: timeoutMs }, async () => {
    await compareCommands(sides, serverCommands, true)
  })
})
