//! The in-place editor of one document or one file.
