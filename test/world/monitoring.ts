import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'

const OBSERVABILITY = path.resolve(import.meta.dirname, '../../deploy/observability')

export type Alert = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

export async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await readFile(path.join(OBSERVABILITY, 'rules.yml'), 'utf8')) as {
    groups: { rules: Alert[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

type Panel = {
  id: number
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

export const readBoard = async (): Promise<{ panels: Panel[] }> =>
  JSON.parse(await readFile(path.join(OBSERVABILITY, 'board.json'), 'utf8')) as { panels: Panel[] }

/** A metric that an expression of Prometheus reads, with the labels that it selects. */
export type UsedMetric = { name: string; labels: Readonly<Record<string, string>> }

/** Prometheus itself adds them. */
const ADDED = new Set(['instance', 'job'])

export const usedMetrics = (expr: string): UsedMetric[] =>
  Array.from(expr.matchAll(/\b((?:doorcode|process|nodejs)_\w+)(?:\{([^}]*)\})?/g), ([, name = '', selected = '']) => ({
    name,
    labels: Object.fromEntries(
      Array.from(
        selected.matchAll(/(\w+)[!=]=?~?"([^"]*)"/g),
        ([, label = '', value = '']) => [label, value] as const,
      ).filter(([label]) => !ADDED.has(label)),
    ),
  }))

/** Labels by which an expression groups. */
export const groupedLabels = (expr: string): string[] =>
  Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, labels = '']) => labels.split(','))
    .flat()
    .map((label) => label.trim())
    .filter((label) => label !== 'le' && !ADDED.has(label))
