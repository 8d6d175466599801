import { refuse } from './errors.ts'

/** An object that came over the wire: nothing about it is known. */
export type Wire = { [key: string]: unknown }

export function isObject(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function requireObject(value: unknown, name: string): Wire {
  if (value === undefined || value === null) refuse(131008, `${name} is required`)
  if (!isObject(value)) refuse(100, `${name} must be an object`)
  return value
}

export function requireText(value: unknown, name: string): string {
  if (value === undefined || value === null) refuse(131008, `${name} is required`)
  if (typeof value !== 'string') refuse(100, `${name} must be a string`)
  if (value === '') refuse(131008, `${name} must not be empty`)
  return value
}

export function findText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') refuse(100, `${name} must be a string`)
  return value
}

export function findList(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) refuse(100, `${name} must be an array`)
  return value
}

/** Lengths count Unicode code points: an emoji is one character to the people who set the limits. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
