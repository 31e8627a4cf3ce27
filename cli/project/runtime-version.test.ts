import { expect, test } from 'vitest'
import type { Project } from '../../shared/programs/project/project.ts'
import type { CliSession } from '../session/session.ts'
import { findRuntimeVersion } from './runtime-version.ts'

// In an object literal, a lookup of `constructor` finds a property of every object.
test.each(['constructor', 'dotnet'])('the language host of %s is missing', async runtime => {
  const session = { io: { env: { PATH: '' } }, cwd: '/' } as unknown as CliSession
  await expect(findRuntimeVersion(session, { runtime } as Project)).rejects.toMatchObject({
    code: 'PROGRAM_LANGUAGE_MISSING',
    message: `pulumi-language-${runtime} is not on PATH`,
  })
})
