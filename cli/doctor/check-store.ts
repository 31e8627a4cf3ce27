import {
  inspectStore,
  type StoreFacts,
} from '../../shared/platform/embedded/store/inspect-store.ts'
import { type AreaReport, createAreaReport, type Finding } from './finding.ts'

type StoreFinding = Omit<Finding, 'area'>

/** Checks the store below the home folder of a user. `uid` is the id of this user. */
export function checkStore(home: string, uid: number): AreaReport {
  const facts = inspectStore(home)
  if (facts === undefined)
    return createAreaReport('store', [`no store yet; the first stack creates it in ${home}`])
  return createAreaReport('store', [
    `store of version ${facts.foundVersion}: ${facts.database}`,
    ...(facts.owner === undefined
      ? []
      : [`the last process that owned the store is ${facts.owner.pid}`]),
    ...findStoreDefects(facts, uid),
  ])
}

/** Returns the findings about a store: its file, its version, its permissions and its owner. */
export function findStoreDefects(facts: StoreFacts, uid: number): readonly StoreFinding[] {
  const { database, folder, foundVersion, knownVersion, owner } = facts
  const restore =
    'End all antichain processes, keep a copy of the store, and restore a backup; docs/operations.md has the steps.'
  const findings: StoreFinding[] = facts.defects.map(problem => ({
    subject: database,
    problem,
    remedy: restore,
  }))
  for (const snapshot of facts.missingSnapshots)
    findings.push({
      subject: database,
      problem: `a snapshot is missing: ${snapshot}`,
      remedy: restore,
    })
  if (foundVersion > knownVersion)
    findings.push({
      subject: database,
      problem: `the store has version ${foundVersion}, and this antichain knows ${knownVersion}`,
      remedy:
        'Install the newer antichain that wrote the store, or restore the backup of its upgrade.',
    })
  if ((facts.mode & 0o077) !== 0)
    findings.push({
      subject: folder,
      problem: `other users may use the store (mode ${facts.mode.toString(8)})`,
      remedy: `Run \`chmod 700 ${folder}\`.`,
    })
  if (facts.uid !== uid)
    findings.push({
      subject: folder,
      problem: `the store belongs to the user ${facts.uid}, and this process runs as ${uid}`,
      remedy: `Run antichain as that user, or run \`chown -R ${uid} ${folder}\`.`,
    })
  if (owner?.state === 'stopped')
    findings.push({
      subject: folder,
      problem: `process ${owner.pid}, which owns the store, is suspended`,
      remedy: `Continue it with \`kill -CONT ${owner.pid}\`, or end it with \`kill -KILL ${owner.pid}\`.`,
    })
  return findings
}
