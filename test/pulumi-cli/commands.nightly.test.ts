import { describe, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import {
  programlessOperations,
  programOperations,
  serverCommands,
  stateCommands,
  tagCommands,
} from './commands.ts'
import {
  compareCommands,
  expectSameResources,
  importPendingCreates,
  openComparedSides,
  putObject,
  readGraphNames,
} from './compare-commands.ts'

describeWithCommands("commands of Pulumi's command lines", [['go', 'version']], () => {
  describe.each(cliVersions)('version %s', version => {
    test('all commands have the same results on a server as in a folder', {
      timeout: 1_800_000,
    }, async () => {
      const isNewest = version === cliVersions[0]
      const sides = await openComparedSides(version)
      try {
        for (const { sandbox } of [sides.server, sides.folder])
          putObject(sandbox, 'found-1', { value: 'x' })
        if (isNewest) await compareCommands(sides, tagCommands, isNewest)
        await compareCommands(sides, stateCommands, isNewest)
        const [ours, theirs] = readGraphNames(sides)
        expect(ours).toEqual(theirs)
        for (const commands of [programlessOperations, programOperations]) {
          await compareCommands(sides, commands, isNewest)
          await expectSameResources(sides)
        }
        await importPendingCreates(sides)
        await expectSameResources(sides)
        await compareCommands({ ...sides, folder: sides.server }, serverCommands, isNewest)
      } finally {
        await sides.remove()
      }
    })
  })
})
