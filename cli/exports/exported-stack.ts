import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import * as z from 'zod'
import type { ExportedEntry } from '../../shared/backends/import-exported-history.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { deploymentOfEnvelope } from '../../shared/state/unknown-fields.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import { createRecordForm, jsonForm } from '../../shared/values/record-form.ts'
import { approvalRuleForm } from '../../shared/runtime/approvals/approval-rule.ts'
import { kindsByCommand } from '../../shared/backends/update-kind.ts'
import type { CliSession } from '../session/session.ts'
import { createInvalidError, type ExportedStack } from './manifest.ts'
import { exportedSettingForm } from './setting-kinds.ts'

const commands = Object.keys(kindsByCommand) as (keyof typeof kindsByCommand)[]

/** A line of `history.jsonl`: an entry of the history, whose fields `HistoryRecord` describes. */
const historyLineForm = z.object({
  command: z.enum(commands),
  message: z.string(),
  by: z.string().optional(),
  approval: z
    .object({
      by: z.string(),
      note: z.string().optional(),
      at: z
        .number()
        .transform(ms => ms as EpochMs)
        .optional(),
    })
    .optional(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  result: z.enum(['succeeded', 'failed', 'cancelled', 'interrupted']).optional(),
  changes: z.record(z.string(), z.number()).optional(),
  version: z.int().optional(),
  environment: createRecordForm(z.string()).optional(),
  config: createRecordForm(jsonForm).optional(),
})

const documentsForm = z.object({
  tags: createRecordForm(z.string()),
  approvalRule: approvalRuleForm,
  schedules: z.array(exportedSettingForm),
  notifications: z.array(exportedSettingForm),
})

/** The settings of an exported stack. */
export type ExportedDocuments = z.infer<typeof documentsForm>

/** The reader of one stack of an export. */
export interface ExportedStackReader {
  readonly id: StackId
  readonly stack: ExportedStack
  /** Returns the ended deployments, oldest first. */
  readonly readEntries: () => Promise<readonly ExportedEntry[]>
  /** Returns the newest state, or that of a version. Undefined if the export has none. */
  readonly readState: (version?: number) => Promise<StoredDeployment | undefined>
  /** Returns the number of states in the export. */
  readonly countStates: () => number
  readonly readDocuments: () => ExportedDocuments
}

/** Creates the reader of a stack in the folder of a checked export. */
export function openExportedStack(
  session: CliSession,
  root: string,
  stack: ExportedStack,
): ExportedStackReader {
  const folder = join(root, stack.folder)
  return {
    id: stack.id as StackId,
    stack,
    readEntries: async () => {
      const entries: ExportedEntry[] = []
      const input = createReadStream(join(folder, 'history.jsonl'))
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        const parsed = historyLineForm.safeParse(parseJson(line))
        if (!parsed.success) throw createInvalidError(`${stack.folder} has an unknown history`)
        if (parsed.data.result !== undefined) entries.push(parsed.data as ExportedEntry)
      }
      return entries.toReversed()
    },
    readState: async version => {
      const isNewest = version === undefined || version === stack.version
      const path = join(folder, isNewest ? 'state.json' : `versions/${version}.json`)
      if (!existsSync(path)) return undefined
      const tools = await session.tools.loadState()
      const source = createReadStream(path) as AsyncIterable<Uint8Array>
      return deploymentOfEnvelope(await tools.parseEnvelope(source)) ?? undefined
    },
    countStates: () => {
      const newest = existsSync(join(folder, 'state.json')) ? 1 : 0
      const earlierFolder = join(folder, 'versions')
      return newest + (existsSync(earlierFolder) ? readdirSync(earlierFolder).length : 0)
    },
    readDocuments: () => {
      const text = readFileSync(join(folder, 'documents.json'), 'utf8')
      const parsed = documentsForm.safeParse(parseJson(text))
      if (!parsed.success) throw createInvalidError(`${stack.folder} has unknown settings`)
      return parsed.data
    },
  }
}
