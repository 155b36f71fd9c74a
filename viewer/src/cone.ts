// Forces of a contact along its normal and across it, and how much of its friction cone it uses.
import type { FrameContacts } from './source';

export const slidingShare = 0.99; // of the cone, as limpet_data.contact_sticks has it

export function normalForce({ force, normal }: FrameContacts, i: number): number {
  const k = 3 * i;
  return (
    (force[k] * normal[k] + force[k + 1] * normal[k + 1] + force[k + 2] * normal[k + 2]) / 32767
  );
}

export function frictionForce(contacts: FrameContacts, i: number): number {
  const { force, normal } = contacts;
  const along = normalForce(contacts, i) / 32767;
  return Math.hypot(...[0, 1, 2].map((k) => force[3 * i + k] - along * normal[3 * i + k]));
}

// 0: no friction force or no friction; 1: it slides.
export function coneUse(contacts: FrameContacts, i: number): number {
  const bound = contacts.friction[i] * Math.abs(normalForce(contacts, i));
  return bound > 0 ? frictionForce(contacts, i) / bound : 0;
}
