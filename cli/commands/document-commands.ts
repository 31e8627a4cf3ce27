import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'

const documentForm = z.object({
  name: z.string(),
  stack: z.string(),
  version: z.number(),
  value: z.looseObject({ isPaused: z.boolean() }),
})

/** A webhook, schedule, notification or federation rule, as the API returns it. */
export type ListedDocument = z.infer<typeof documentForm>

/** The options of the commands for one kind of document: webhooks, for example. */
export interface DocumentCommandOptions {
  /** The noun for messages. */
  readonly noun: string
  /** Returns the path of the documents at the API. */
  readonly resolvePath: (session: CliSession, flags: Flags) => Promise<string>
  readonly statusOf: (document: ListedDocument) => string
  /** Describes a document in one line. */
  readonly describe: (value: ListedDocument['value']) => string
}

/** Creates the commands `ls`, `show` and `rm` of a kind of document. */
export function createDocumentCommands({
  noun,
  resolvePath,
  statusOf,
  describe,
}: DocumentCommandOptions): Readonly<Record<'ls' | 'show' | 'rm', Handler>> {
  return {
    ls: async (session, flags) => {
      const path = await resolvePath(session, flags)
      const documents = await listAllItems(await session.openEngine(), path, documentForm)
      if (flags.isSet('json')) {
        session.print(JSON.stringify(documents, null, 2))
        return 0
      }
      const rows = documents.map(document => [
        document.name,
        statusOf(document),
        describe(document.value),
      ])
      for (const line of formatTable(['NAME', 'STATUS', 'DETAILS'], rows)) session.print(line)
      return 0
    },
    show: async (session, flags, [name = '']) => {
      const path = `${await resolvePath(session, flags)}/${encodeURIComponent(name)}`
      const response = documentForm.parse(
        await (await session.openEngine()).callApi({ method: 'GET', path }),
      )
      session.print(JSON.stringify(response.value, null, 2))
      return 0
    },
    rm: async (session, flags, [name = '']) => {
      const path = `${await resolvePath(session, flags)}/${encodeURIComponent(name)}`
      await (await session.openEngine()).callApi({ method: 'DELETE', path })
      session.printToStderr(`Removed ${noun} '${name}'.`)
      return 0
    },
  }
}

/** Returns the status of a document: `paused` or `on`. */
export function enabledStatusOf({ value }: ListedDocument): string {
  return value.isPaused ? 'paused' : 'on'
}
