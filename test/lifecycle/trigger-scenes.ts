import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { installProgram } from '../../shared/runtime/programs/install-program.ts'
import { runDueSchedule } from '../../functions/schedule/run-due-schedule.ts'
import { createProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import type { ProgramInstallRequest } from '../../shared/runtime/programs/install-job.ts'
import { packRepository } from '../../shared/runtime/programs/repository-program.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import type { OutboundPort } from '../../shared/ports/outbound.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../shared/triggers/webhooks/webhook-document.ts'
import type { TestProcess } from './test-process.ts'
import type { TestSetup } from './resume.ts'
import { type Scene, runUntilDone, upScenario } from './scene.ts'
import { getTestStack } from './register-thing.ts'

/** Stores a due schedule of the stack, and runs it. */
async function runSchedule({ engine }: TestSetup, { platform }: TestProcess): Promise<unknown> {
  const { documents, marks } = engine.platform
  const { id: scope } = await getTestStack(engine.platform)
  const key = { kind: 'schedule', scope, name: 's' } as const
  const scheduleDraft = { when: 'rate(1 hour)', operation: { kind: 'up' }, createdAt: 1 }
  await documents.put(key, scheduleDocument.parse(scheduleDraft), 0)
  return runDueSchedule({ ...platform, documents, marks, execute: 'functions' }, key)
}

const scheduled: Scene = {
  name: 'a schedule that is due',
  run: (setup, kill) => setup.engine.runKillable(kill, process => runSchedule(setup, process)),
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => runSchedule(setup, process))
    return runUntilDone(setup, upScenario)
  },
}

/** Creates a port that answers each call with the archive of a repository with a project file. */
function createRepositoryHost(folder: string): OutboundPort {
  mkdirSync(join(folder, 'top'))
  writeFileSync(join(folder, 'top', 'Pulumi.yaml'), 'name: p\nruntime: nodejs\n')
  const archive = create({ cwd: folder, gzip: true, sync: true }, ['top']).read() as Uint8Array
  const body = async function* () {
    yield archive
  }
  return { call: (_request, onReply) => onReply({ status: 200, headers: new Map(), body: body() }) }
}

async function fetchProgram({ engine }: TestSetup, { platform }: TestProcess): Promise<unknown> {
  const { documents, sealing } = engine.platform
  const { id: stack } = await getTestStack(engine.platform)
  const draft = webhookDraft.parse({ form: 'signed', secrets: ['x'.repeat(16)], rules: [] })
  await documents.put(webhookKeyOf('hook'), await sealWebhook(sealing, 'hook', draft), 0)
  const scratch = mkdtempSync(join(tmpdir(), 'antichain-fetch-'))
  try {
    const folders = createProgramFolders(platform.archives, scratch)
    const deps = {
      ...platform,
      documents,
      sealing,
      outbound: createRepositoryHost(scratch),
      scratch,
      folders,
    }
    const commit = 'a'.repeat(40)
    const program = { repository: 'a/b', commit, folder: '', webhook: 'hook' }
    const installer = { ...deps, env: {}, processes: createProcesses }
    const packDeps = {
      ...deps,
      install: (request: ProgramInstallRequest) => installProgram(installer, request),
    }
    return await packRepository(packDeps, stack, { kind: 'repository', ...program })
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

const fetched: Scene = {
  name: 'a program is fetched from a repository',
  run: (setup, kill) => setup.engine.runKillable(kill, process => fetchProgram(setup, process)),
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => fetchProgram(setup, process))
    return runUntilDone(setup, upScenario)
  },
}

/** Scenes of automatic requests, and of programs that they download. */
export const triggerScenes = { scheduled, fetched } as const satisfies Record<string, Scene>
