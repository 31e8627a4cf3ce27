import { type DeploymentProcesses, createDeploymentProcesses } from './deployment-processes.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { checkRound } from './round-checks.ts'
import { type RoundKind, doings, type Round, type RoundResult, type Victim } from './rounds.ts'
import { initDevStack, upArgs } from './exported-state.ts'

/**
 * Runs a round. Generator and executors are separate processes over one store; some are killed, and
 * no user resumes them. Compares the provider's log and objects with the state, settles pending
 * creates as a user would, and checks that the goal is reached.
 */
export async function runRound(round: Round): Promise<RoundResult> {
  const place = createPlace('rounds')
  const env = roundEnvironmentOf(round)
  const cast = createDeploymentProcesses(place, env)
  try {
    await initDevStack(place)
    if (round.doing !== 'create')
      requireSuccess(await place.run([...upArgs, '-p', '64'], { env: { ...env, STEP: '1' } }))
    const before = place.listChanges().length
    cast.start(round.doing.startsWith('destroy') ? 'destroy' : 'up')
    const killed = await killDuring(round, { place, cast, before })
    await waitUntil(() => isOver(place, round.doing), {
      what: 'the end of the deployment',
      limitMs: 240_000,
    })
    const exit = await cast.end()
    const changes = place.listChanges().slice(before)
    const found = await checkRound(place, {
      round,
      env,
      killed,
      changes,
      exit,
      output: cast.readOutput(),
    })
    return { kills: killed, ...found }
  } finally {
    cast.kill()
    place.remove()
  }
}

function roundEnvironmentOf({ doing }: Round): Readonly<Record<string, string>> {
  const common = { GOLD_ASKED: '1', STEP: '2', CHANGE: doing }
  if (doing === 'destroy-1000') return { ...common, COUNT: '1000', DELAY: '20' }
  if (doing === 'create' || doing === 'destroy') return { ...common, CHANGE: 'update' }
  return common
}

/**
 * Kills a victim at each moment of the round that comes before its end. Returns the killed victims.
 */
async function killDuring(
  { doing, kills }: Round,
  deps: { readonly place: Place; readonly cast: DeploymentProcesses; readonly before: number },
): Promise<readonly Victim[]> {
  const { place, cast, before } = deps
  const killed: Victim[] = []
  for (const { whom, part, afterMs } of kills) {
    const calls = Math.max(1, Math.floor(part * doings[doing].calls))
    let looks = 0
    let isLate = false
    await waitUntil(
      async () => {
        looks += 1
        if (place.listChanges().length - before >= calls) return true
        isLate = looks % 100 === 0 && (await isOver(place, doing))
        return isLate
      },
      { what: `${calls} calls`, limitMs: 180_000 },
    )
    if (isLate) break
    await new Promise(done => setTimeout(done, afterMs))
    killed.push(whom)
    cast.strike(whom)
  }
  return killed
}

/**
 * Reports whether the deployment of the round has ended. Except for a create, an earlier deployment
 * exists.
 */
async function isOver(place: Place, doing: RoundKind): Promise<boolean> {
  // The query costs more than the deployment's own work.
  await new Promise(done => setTimeout(done, 300))
  const { out } = await place.run(['stack', 'history', '-s', 'dev', '--json'])
  const all = JSON.parse(out === '' ? '[]' : out) as readonly { readonly result?: string }[]
  const [newest] = all
  if (all.length < (doing === 'create' ? 1 : 2)) return false
  return newest?.result !== undefined && newest.result !== 'in-progress'
}
