import { type DeploymentProcesses, createDeploymentProcesses } from './deployment-processes.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { checkRound } from './round-checks.ts'
import {
  type RoundKind,
  roundKinds,
  type Round,
  type RoundResult,
  type KillTarget,
} from './rounds.ts'
import { initDevStack, upArgs } from './exported-state.ts'

/**
 * Runs a round. Generator and executors are separate processes over one store. Some of these
 * processes are killed, and no user resumes the deployment. Compares the log and the objects of the
 * provider with the state. Settles pending creates as a user would, and checks that the goal is
 * reached.
 */
export async function runRound(round: Round): Promise<RoundResult> {
  const sandbox = createSandbox('rounds')
  const env = roundEnvironmentOf(round)
  const processes = createDeploymentProcesses(sandbox, env)
  try {
    await initDevStack(sandbox)
    if (round.kind !== 'create')
      requireSuccess(await sandbox.run([...upArgs, '-p', '64'], { env: { ...env, STEP: '1' } }))
    const changesBefore = sandbox.listChanges().length
    processes.start(round.kind.startsWith('destroy') ? 'destroy' : 'up')
    const killedTargets = await killDuring(round, { sandbox, processes, changesBefore })
    await waitUntil(() => hasDeploymentEnded(sandbox, round.kind), {
      condition: 'the end of the deployment',
      limitMs: 240_000,
    })
    const exit = await processes.end()
    const changes = sandbox.listChanges().slice(changesBefore)
    const checks = await checkRound(sandbox, {
      round,
      env,
      killedTargets,
      changes,
      exit,
      output: processes.readOutput(),
    })
    return { kills: killedTargets, ...checks }
  } finally {
    processes.kill()
    sandbox.remove()
  }
}

function roundEnvironmentOf({ kind }: Round): Readonly<Record<string, string>> {
  const common = { GOLD_ASKED: '1', STEP: '2', CHANGE: kind }
  if (kind === 'destroy-1000') return { ...common, COUNT: '1000', DELAY: '20' }
  if (kind === 'create' || kind === 'destroy') return { ...common, CHANGE: 'update' }
  return common
}

/**
 * Kills each target of the round at its moment. Stops when the deployment has ended. Returns the
 * killed targets.
 */
async function killDuring(
  { kind, kills }: Round,
  deps: {
    readonly sandbox: Sandbox
    readonly processes: DeploymentProcesses
    readonly changesBefore: number
  },
): Promise<readonly KillTarget[]> {
  const { sandbox, processes, changesBefore } = deps
  const killedTargets: KillTarget[] = []
  for (const { target, callShare, afterMs } of kills) {
    const calls = Math.max(1, Math.floor(callShare * roundKinds[kind].calls))
    let polls = 0
    let hasEnded = false
    await waitUntil(
      async () => {
        polls += 1
        if (sandbox.listChanges().length - changesBefore >= calls) return true
        // A query takes longer than a poll, so only every hundredth poll makes one.
        hasEnded = polls % 100 === 0 && (await hasDeploymentEnded(sandbox, kind))
        return hasEnded
      },
      { condition: `${calls} calls`, limitMs: 180_000 },
    )
    if (hasEnded) break
    await new Promise(resolve => setTimeout(resolve, afterMs))
    killedTargets.push(target)
    processes.killAndReplace(target)
  }
  return killedTargets
}

/**
 * Reports whether the deployment of the round has ended. Except for a create, an earlier deployment
 * exists.
 */
async function hasDeploymentEnded(sandbox: Sandbox, kind: RoundKind): Promise<boolean> {
  // The query is delayed, because it costs more than the deployment's own work.
  await new Promise(resolve => setTimeout(resolve, 300))
  const { out } = await sandbox.run(['stack', 'history', '-s', 'dev', '--json'])
  const history = JSON.parse(out === '' ? '[]' : out) as readonly unknown[]
  return history.length >= (kind === 'create' ? 1 : 2)
}
