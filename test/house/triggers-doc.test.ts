import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { ruleForm } from '../../shared/triggers/webhooks/rules.ts'
import { signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { webhookForms } from '../../shared/triggers/webhooks/webhook-forms.ts'
import { projectFolder } from './sources.ts'

const page = readFileSync(join(projectFolder, 'docs', 'triggers.md'), 'utf8')
const pageText = page.replaceAll(/\s+/g, ' ')

function readBlock(name: string): string {
  const [, text] = new RegExp(`\`\`\`${name}\n([\\s\\S]*?)\n\`\`\``).exec(page) ?? []
  if (text === undefined) throw new Error(`docs/triggers.md has no block ${name}`)
  return text
}

test('the example of a signature is accepted', () => {
  const [, secret = ''] = /With the secret `(.*)` at/.exec(pageText) ?? []
  const body = readBlock('json signed')
  const headers = new Map(
    readBlock('text signed')
      .split('\n')
      .map(line => line.split(': ') as [string, string]),
  )
  const timestamp = headers.get('antichain-timestamp') ?? ''
  expect(headers.get('antichain-signature')).toBe(`v1=${signatureOf(secret, timestamp, body)}`)
  expect(pageText).toContain(`\`${secret}\` at ${timestamp} this body`)
  const request = { headers, body: Buffer.from(body) }
  const now = (Number(timestamp) * 1000) as EpochMs
  webhookForms.signed.verify(request, { secrets: [secret], now })
  expect(webhookForms.signed.read(request)).toMatchObject({ kind: 'push', branch: 'main' })
})

test('every webhook form is listed with its headers', () => {
  for (const [name, { headers }] of Object.entries(webhookForms)) {
    const row = page.split('\n').find(line => line.startsWith(`| \`${name}\``))
    for (const header of headers) expect(row).toContain(`\`${header}\``)
  }
})

test('the example of a rule is valid', () => {
  expect(ruleForm.parse(JSON.parse(readBlock('json rule')))).toMatchObject({ on: 'push' })
})

test('the numbers of the page equal the limits', () => {
  const mega = 1024 * 1024
  expect({
    body: triggerLimits.webhookBytesMax / mega,
    windowMinutes: triggerLimits.replayWindowMs / 60_000,
    keptDays: triggerLimits.deliveryRetentionMs / 86_400_000,
    claimMinutes: triggerLimits.deliveryClaimMs / 60_000,
    rules: triggerLimits.rulesMax,
    archive: triggerLimits.archiveBytesMax / mega,
    unpacked: triggerLimits.archiveUnpackedBytesMax / mega,
    entries: triggerLimits.archiveEntriesMax,
    attempts: triggerLimits.notificationAttemptsMax,
    answerSeconds: triggerLimits.notificationTimeoutMs / 1000,
    redirects: triggerLimits.archiveRedirectsMax,
    commits: triggerLimits.pushCommitsMax,
  }).toEqual({
    body: readNumber(/at most (\d+) MiB and is JSON/),
    windowMinutes: readNumeral(/differ from the server.s by (\w+) minutes/),
    keptDays: readNumeral(/recognized for (\w+) days/),
    claimMinutes: readNumeral(/in the middle, after (\w+) minute/),
    rules: readNumber(/at most (\d+) rules/),
    archive: readNumber(/at most (\d+) MB, 1 GB/),
    unpacked: readNumber(/MB, (\d+) GB unpacked/) * 1024,
    entries: readNumber(/unpacked, ([\d,]+) entries/),
    attempts: readNumeral(/tried again, (\w+) times in all/),
    answerSeconds: readNumeral(/2xx within (\w+) seconds/),
    redirects: readNumeral(/archives only, (\w+) at most/),
    commits: readNumber(/pushes of ([\d,]+) commits/),
  })
})

/** The words of the page for numbers. The index of a word is its number. */
const numerals = ['no', 'a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

function readNumeral(pattern: RegExp): number {
  return numerals.indexOf(pattern.exec(pageText)?.[1] ?? '')
}

function readNumber(pattern: RegExp): number {
  return Number(pattern.exec(pageText)?.[1]?.replaceAll(',', ''))
}
