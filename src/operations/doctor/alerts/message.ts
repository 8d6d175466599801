import type { Alert } from './store.ts'

/** docs/doctor.md#alerts lists the members. */
export type AlertMessage = ReturnType<typeof messageOf>

export const messageOf = (alert: Alert, instance: string) => ({
  id: alert.id,
  type: alert.raised ? ('finding.raised' as const) : ('finding.cleared' as const),
  time: alert.at.toISOString(),
  instance,
  check: alert.check,
  finding: alert.code,
  severity: alert.severity,
  text: alert.text,
  fix: alert.fix,
})
